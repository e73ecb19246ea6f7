//! Errors that make a flame graph unreadable.

/// An error in a picture as a whole.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FlameGraphError {
    /// It is not well-formed, or its frames do not fit into each other.
    #[error("the SVG picture is damaged ({0}); hint: it was cut off or changed, copy it again")]
    Damaged(Box<str>),
    /// It is another picture.
    #[error(
        "the SVG picture is not a flame graph of inferno, FlameGraph.pl or pdiff: {0}; hint: give the recording or the folded \
         stacks that it was made from"
    )]
    OtherPicture(&'static str),
    /// It is the difference of two profiles.
    #[error(
        "the flame graph shows the difference of two profiles, with the widths of only one; hint: give the two profiles that \
         it was made from"
    )]
    Difference,
    /// It is larger than a limit.
    #[error("the SVG picture has more than {limit} {what}, the most that pdiff reads")]
    TooLarge {
        /// The limit.
        limit: u64,
        /// The kind of thing that exceeds the limit.
        what: &'static str,
    },
}
