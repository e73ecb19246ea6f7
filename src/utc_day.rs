//! A moment's day in UTC, as `2026-11-24`.

use std::time::{SystemTime, UNIX_EPOCH};

const DAY_S: u64 = 24 * 3600;

/// Days in 400 years, after which the calendar repeats.
const ERA_DAYS: u64 = 146_097;

/// The day of a moment; that of 1970-01-01 for what is earlier.
///
/// The calendar's years begin in March here, so that the leap day is a year's last [Hinnant, chrono-compatible low-level date
/// algorithms]: a dozen lines in place of a package of calendars.
pub(crate) fn utc_day(moment: SystemTime) -> String {
    let seconds = moment.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let days = seconds / DAY_S + 719_468;
    let (era, of_era) = (days / ERA_DAYS, days % ERA_DAYS);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn moments_have_their_days() {
        let check = |seconds: u64, expected: &str| {
            assert_eq!(utc_day(UNIX_EPOCH + Duration::from_secs(seconds)), expected);
        };
        check(0, "1970-01-01");
        check(86_399, "1970-01-01");
        check(951_782_400, "2000-02-29");
        check(951_868_800, "2000-03-01");
        check(1_735_689_599, "2024-12-31");
        check(1_735_689_600, "2025-01-01");
        check(4_107_542_400, "2100-03-01");
    }
}
