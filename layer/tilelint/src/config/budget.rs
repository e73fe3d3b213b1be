//! Budgets: traffic that a target may have.

use crate::profile::Profile;

/// Traffic that a target may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The target; `all` means each.
    pub target: String,
    /// Bytes.
    pub bytes: u64,
    /// Bytes are per second at the target's refresh rate, else per frame.
    pub per_second: bool,
    /// Where it was set.
    pub origin: String,
}

impl Budget {
    /// Bytes a frame that this leaves a target.
    pub fn frame_bytes(&self, profile: &Profile) -> u64 {
        if self.per_second {
            self.bytes / u64::from(profile.refresh_hz().max(1))
        } else {
            self.bytes
        }
    }
}

/// Reads `1.5GB/s` or `20MB/frame`: bytes, and whether they are per second.
pub(super) fn parse_amount(text: &str) -> Option<(u64, bool)> {
    const UNITS: [(&str, f64); 7] = [
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
        ("kB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("B", 1.0),
    ];
    let (amount, per) = text.split_once('/')?;
    let per_second = match per.trim() {
        "s" => true,
        "frame" => false,
        _ => return None,
    };
    let amount = amount.trim();
    let (number, unit) =
        UNITS.iter().find_map(|(unit, size)| Some((amount.strip_suffix(unit)?, size)))?;
    let number: f64 = number.trim().parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some(((number * unit).round() as u64, per_second))
}
