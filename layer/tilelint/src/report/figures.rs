//! Figures for people.

/// Writes bytes in decimal units with one place: `47.3 MB`.
#[expect(clippy::cast_precision_loss, reason = "one decimal place is shown")]
pub fn human_bytes(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1000.0;
    let mut unit = 0;
    // 999.95 would be shown as 1000.0.
    while value >= 999.95 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// Writes what `bytes` a frame are in a second: `3.4 GB/s at 72 Hz`.
pub fn human_rate(bytes: u64, hz: u32) -> String {
    format!("{}/s at {hz} Hz", human_bytes(bytes.saturating_mul(u64::from(hz))))
}

/// Sets rows of cells below each other: the first cell of each at its left, the others at their
/// right.
pub fn table<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..N).map(|column| width(column).unwrap_or(0)).collect();
    let mut out = String::new();
    for row in rows {
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            out.push_str("  ");
            out.push_str(&match column {
                0 => format!("{cell:width$}"),
                _ => format!("{cell:>width$}"),
            });
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_one_decimal_place() {
        let cases = [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.0 kB"),
            (47_300_000, "47.3 MB"),
            (999_949_999, "999.9 MB"),
            (999_950_000, "1.0 GB"),
            (u64::MAX, "18446744.1 TB"),
        ];
        for (bytes, text) in cases {
            assert_eq!(human_bytes(bytes), text);
        }
        assert_eq!(human_rate(47_300_000, 72), "3.4 GB/s at 72 Hz");
    }
}
