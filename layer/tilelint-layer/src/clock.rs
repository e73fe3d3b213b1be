//! The day and the time, for reports and for suppressions that expire.

use std::time::{Instant, SystemTime, UNIX_EPOCH};
use tilelint::config::Date;

const SECONDS_PER_DAY: u64 = 86_400;

/// Measures how long a call takes.
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    /// Begins.
    pub(crate) fn start() -> Stopwatch {
        Stopwatch(Instant::now())
    }

    /// Returns the time since then.
    pub(crate) fn nanoseconds(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

/// A moment in UTC.
pub(crate) struct Moment {
    seconds: u64,
}

impl Moment {
    /// Returns the present moment.
    pub(crate) fn now() -> Moment {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        Moment { seconds: since.map_or(0, |since| since.as_secs()) }
    }

    /// Returns the day.
    pub(crate) fn date(&self) -> Date {
        let (year, month, day) = civil(self.seconds / SECONDS_PER_DAY);
        Date { year, month, day }
    }

    /// Returns `2026-11-30T12:00:00Z`.
    pub(crate) fn text(&self) -> String {
        let Date { year, month, day } = self.date();
        let second = self.seconds % SECONDS_PER_DAY;
        let (hour, minute) = (second / 3600, second / 60 % 60);
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{:02}Z", second % 60)
    }
}

/// Returns year, month and day of a day counted from 1970-01-01, by the Gregorian calendar: years
/// are counted from March, so that the leap day comes last.
fn civil(day: u64) -> (u16, u8, u8) {
    let days_from_0000_03_01 = day + 719_468;
    let era = days_from_0000_03_01 / 146_097;
    let day_of_era = days_from_0000_03_01 % 146_097;
    let leaps = day_of_era / 1_460 + day_of_era / 146_096;
    let year_of_era = (day_of_era + day_of_era / 36_524 - leaps) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    (year as u16, month as u8, day_of_month as u8)
}
