//! What the title of a frame says.
//!
//! ```text
//! title = name " (" samples " " unit ", " percent "%)"                           inferno, FlameGraph.pl
//!       | name " (" samples " " unit ", " percent "%; " signed percent "%)"      the difference of two profiles
//!       | name " (" [object "; "] "total " percent " %, self " percent " %)"     pdiff flame, one recording
//! object of the frame below all others = samples " samples" [" of " event]
//! ```
//!
//! The frame below all others is called `all`, with 100% in full; any other `all` has 100.00%.

/// A title taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Title<'a> {
    /// The frame below all others, with its width.
    Root(u64),
    /// The frame below all others of `pdiff flame`, and how many samples of which event it represents if the picture says it.
    RootOfPdiff(Option<(u64, &'a str)>),
    /// A frame, and its samples.
    Frame(&'a str, u64),
    /// A frame of `pdiff flame`, and its object.
    OfPdiff(&'a str, &'a str),
    /// Frames that `pdiff flame` summed up as one.
    Pruned,
    /// A frame of a difference.
    Difference,
    /// Something else: a title that somebody gave, which inferno and FlameGraph.pl take from a file.
    Other(&'a str),
}

impl<'a> Title<'a> {
    pub(super) fn parse(title: &'a str) -> Self {
        let (name, details) = match title.rsplit_once(" (") {
            Some((name, details)) => (name, details.strip_suffix(')')),
            None => (title, None),
        };
        let Some(details) = details else { return Self::Other(title) };
        if let Some((samples, percent)) = samples_and_percent(details) {
            return match percent {
                "100" if name == "all" => Self::Root(samples),
                _ if percent.contains("%;") => Self::Difference,
                _ => Self::Frame(name, samples),
            };
        }
        match object_of_pdiff(details) {
            Some("") if name == "all" => Self::RootOfPdiff(None),
            Some(about) if name == "all" && samples_of_event(about).is_some() => {
                Self::RootOfPdiff(samples_of_event(about))
            }
            Some(about) if about.ends_with(" narrow frames together") => Self::Pruned,
            Some(object) => Self::OfPdiff(name, object),
            None if details.contains(" % before, ") => Self::Difference,
            None => Self::Other(title),
        }
    }
}

/// `1,234 samples, 12.34%`: the number, and the percentage without its last sign.
fn samples_and_percent(details: &str) -> Option<(u64, &str)> {
    let (samples, rest) = details.split_once(' ')?;
    let (_, percent) = rest.rsplit_once(", ")?;
    let percent = percent.strip_suffix('%')?;
    let is_number = |text: &str| text.bytes().all(|c| c.is_ascii_digit() || b"+-.".contains(&c));
    let parts = percent.split("%; ");
    if percent.is_empty() || !parts.into_iter().all(is_number) {
        return None;
    }
    Some((grouped(samples)?, percent))
}

/// `6,123 samples of cycles`: the number and the event.
fn samples_of_event(about: &str) -> Option<(u64, &str)> {
    let (samples, rest) = about.split_once(" samples")?;
    let event = if rest.is_empty() { rest } else { rest.strip_prefix(" of ")? };
    Some((grouped(samples)?, event))
}

/// `1,234` as a number.
fn grouped(text: &str) -> Option<u64> {
    let digits: String = text.split(',').collect();
    crate::digits::decimal(digits.as_bytes())
}

/// The text before the numbers of one recording; empty if there is none.
fn object_of_pdiff(details: &str) -> Option<&str> {
    let (before, own) = details.strip_suffix(" %")?.rsplit_once(" %, self ")?;
    let (about, total) = before.rsplit_once("total ")?;
    let is_number = |text: &str| text.parse::<f64>().is_ok();
    (is_number(own) && is_number(total)).then_some(())?;
    if about.is_empty() { Some(about) } else { about.strip_suffix("; ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_of_each_tool_are_taken_apart() {
        let check = |text, expected| assert_eq!(Title::parse(text), expected, "{text}");
        check("all (57,441 samples, 100%)", Title::Root(57_441));
        check("all (5 samples, 100.00%)", Title::Frame("all", 5));
        check(
            "operator new(unsigned long) (1 samples, 0.08%)",
            Title::Frame("operator new(unsigned long)", 1),
        );
        check("f (2,018 , 0.30%)", Title::Frame("f", 2018));
        check("f (12 wall ms, all, 0.30%)", Title::Frame("f", 12));
        check("f (12 samples, 3.00%; +1.20%)", Title::Difference);
        check("f (0 samples, 0.00%; 0.00%)", Title::Difference);
        check("all (total 100.00 %, self 0.00 %)", Title::RootOfPdiff(None));
        check("all (6,123 samples; total 100.00 %, self 0.00 %)", Title::RootOfPdiff(Some((6123, ""))));
        let with_event = "all (6,123 samples of cpu-clock:u; total 100.00 %, self 0.00 %)";
        check(with_event, Title::RootOfPdiff(Some((6123, "cpu-clock:u"))));
        check("all (my samples; total 3.00 %, self 0.00 %)", Title::OfPdiff("all", "my samples"));
        check("f(int) (x.so; total 0.08 %, self 0.01 %)", Title::OfPdiff("f(int)", "x.so"));
        check("[pruned] (12 narrow frames together; total 0.08 %, self 0.08 %)", Title::Pruned);
        check("all (total 100.00 % before, 100.00 % after)", Title::Difference);
        check("my own words", Title::Other("my own words"));
        check("f (-2 samples, 1.00%)", Title::Other("f (-2 samples, 1.00%)"));
        check(
            "f (99999999999999999999 samples, 1.00%)",
            Title::Other("f (99999999999999999999 samples, 1.00%)"),
        );
        check("", Title::Other(""));
    }
}
