//! What a run is filed under: service, build, host and day; and the directory that says so.
//!
//! ```text
//! service=checkout/build=8.0%2Baligned/day=2026-11-24
//! ```
//!
//! Characters that a path or another program might take for something else are written as `%` and two hexadecimal digits,
//! as engines that read hive partitions do.

use std::fmt::Write as _;
use std::path::PathBuf;

use crate::error::StoreError;

/// The longest service, build or host, in bytes.
const MOST_BYTES: usize = 200;

/// What a run is filed under.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RunKey {
    service: String,
    build: String,
    day: String,
    host: String,
}

impl RunKey {
    /// A run of `service`, built as `build`, recorded on `host` on `day` (`2026-11-24`).
    ///
    /// # Errors
    /// Returns an error if one of them is empty, longer than 200 bytes or has control characters, or if the day is not a
    /// date.
    pub fn new(service: &str, build: &str, host: &str, day: &str) -> Result<Self, StoreError> {
        for (column, value) in [("service", service), ("build", build), ("host", host), ("day", day)] {
            let refused = |why| Err(StoreError::Key { column, value: value.to_owned(), why });
            if value.trim().is_empty() {
                return refused("is empty; hint: give it a name");
            }
            if value.len() > MOST_BYTES {
                return refused("is too long; hint: 200 bytes are the most");
            }
            if value.chars().any(char::is_control) {
                return refused("has control characters; hint: use letters, digits and signs");
            }
        }
        if !is_date(day) {
            let (column, value) = ("day", day.to_owned());
            return Err(StoreError::Key {
                column,
                value,
                why: "is not a date; hint: write it as 2026-11-24",
            });
        }
        let [service, build, host, day] = [service, build, host, day].map(str::to_owned);
        Ok(Self { service, build, day, host })
    }

    /// The program or service that ran.
    #[must_use]
    pub fn service(&self) -> &str {
        &self.service
    }

    /// Its build.
    #[must_use]
    pub fn build(&self) -> &str {
        &self.build
    }

    /// The machine it ran on.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The day of the recording, as `2026-11-24`.
    #[must_use]
    pub fn day(&self) -> &str {
        &self.day
    }

    /// The directory below a table's.
    pub(crate) fn partition(&self) -> PathBuf {
        let columns = [("service", &self.service), ("build", &self.build), ("day", &self.day)];
        columns.iter().map(|(column, value)| format!("{column}={}", encode(value))).collect()
    }
}

/// The column and value that the name of a partition's directory says.
pub(crate) fn decode_directory(name: &str) -> Option<(&str, String)> {
    let (column, value) = name.split_once('=')?;
    Some((column, decode(value)?))
}

fn is_date(day: &str) -> bool {
    let parts: Vec<&str> = day.split('-').collect();
    let number = |text: &str, len: usize| {
        Some(text)
            .filter(|text| text.len() == len && text.bytes().all(|byte| byte.is_ascii_digit()))?
            .parse::<u32>()
            .ok()
    };
    match parts.as_slice() {
        [year, month, day] => {
            let parts = number(year, 4).zip(number(month, 2)).zip(number(day, 2));
            parts.is_some_and(|((year, month), day)| (1..=days_of(year, month)).contains(&day))
        }
        _ => false,
    }
}

/// The number of days of a month; 0 if there is no such month.
fn days_of(year: u32, month: u32) -> u32 {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        _ => 0,
    }
}

fn encode(value: &str) -> String {
    let mut encoded = String::with_capacity(value.len());
    for byte in value.bytes() {
        match byte {
            b'-' | b'_' | b'.' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => encoded.push(char::from(byte)),
            // Writing to a String cannot fail.
            _ => drop(write!(encoded, "%{byte:02X}")),
        }
    }
    encoded
}

fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = rest.get(2..)?;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_a_directory_of_its_own_and_comes_back() {
        for value in ["8.0.33", "..", "a/b", "5.7 aligned", "é=%", "feature/x#1"] {
            let key = RunKey::new("mysqld", value, "h", "2026-11-24").unwrap();
            let partition = key.partition();
            assert_eq!(partition.components().count(), 3, "{value}");
            let directory = partition.components().nth(1).unwrap().as_os_str().to_str().unwrap().to_owned();
            assert!(directory.is_ascii(), "{directory}");
            assert_eq!(decode_directory(&directory), Some(("build", value.to_owned())));
        }
    }

    #[test]
    fn what_cannot_be_filed_is_refused() {
        let check = |service: &str, host: &str, day: &str, expected: &str| {
            let error = RunKey::new(service, "b", host, day).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check("", "h", "2026-11-24", "service '' is empty");
        check("s", "a\nb", "2026-11-24", "control characters");
        check(&"s".repeat(201), "h", "2026-11-24", "too long");
        for day in
            ["today", "2026-13-01", "2026-1-1", "2026-11-24x", "+026-11-24", "2026-11-00", "2026-02-29"]
        {
            check("s", "h", day, "is not a date");
        }
        assert!(RunKey::new("s", "b", "h", "2028-02-29").is_ok(), "a leap year");
    }
}
