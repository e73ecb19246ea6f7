//! The result for an address: a chain of functions, or the reason why there is none.

use std::fmt;
use std::sync::Arc;

/// One function of an inline chain. A function is in thousands of chains, which share its texts.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct InlineFrame {
    /// Demangled, with template arguments, without parameters.
    pub name: Arc<str>,
    /// The mangled name, where there is one.
    pub linkage_name: Option<Arc<str>>,
    /// Source file with `..` folded, if known.
    pub file: Option<Arc<str>>,
    /// Line of the address in the innermost frame, of the call in the outer frames; from 1.
    pub line: Option<u32>,
    /// Whether this function's code is inside its caller's (false for the outermost frame).
    pub inlined: bool,
}

/// Begins the linkage name of an unnamed function: no linker writes such.
const UNNAMED: &str = "<unnamed>";

/// The text between the object and the distance in the name of an unnamed function.
const OFFSET: &str = "+0x";

impl InlineFrame {
    /// A machine function without a symbol, named by the distance of its first byte from the start of its object
    /// (`mysqld+0x7a12b0`). `build` is the identity of the object's file, because in another build another function is at
    /// that distance.
    #[must_use]
    pub fn unnamed(object: &str, build: &str, offset: u64) -> Self {
        Self {
            name: format!("{object}{OFFSET}{offset:x}").into(),
            linkage_name: Some(format!("{UNNAMED}{build}{OFFSET}{offset:x}").into()),
            file: None,
            line: None,
            inlined: false,
        }
    }

    /// The identity that distinguishes an unnamed function from those of other builds; `None` for functions with a name.
    #[must_use]
    pub fn unnamed_identity(&self) -> Option<&str> {
        self.linkage_name.as_deref().filter(|name| name.starts_with(UNNAMED))
    }
}

/// Whether a function's name is that of an unnamed one: an object and a distance.
///
/// ```
/// use pdiff_profile::is_unnamed;
///
/// assert!(is_unnamed("mysqld+0x7a12b0"));
/// assert!(!is_unnamed("trx_commit") && !is_unnamed("operator+0x"));
/// ```
#[must_use]
pub fn is_unnamed(name: &str) -> bool {
    let distance = name.rsplit_once(OFFSET).filter(|(object, _)| !object.is_empty());
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    distance.is_some_and(|(_, digits)| is_number(digits))
}

/// The functions at one address, OUTERMOST FIRST: the machine function, then the functions inlined into it. Never empty.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct InlineChain(Vec<InlineFrame>);

impl InlineChain {
    /// The most frames kept of one chain; real ones reach about 60.
    pub const MAX_DEPTH: usize = 256;

    /// A chain of at least one frame, outermost first; `None` if `frames` is empty.
    #[must_use]
    pub fn new(mut frames: Vec<InlineFrame>) -> Option<Self> {
        frames.truncate(Self::MAX_DEPTH);
        (!frames.is_empty()).then_some(Self(frames))
    }

    /// The frames, outermost first.
    #[must_use]
    pub fn frames(&self) -> &[InlineFrame] {
        &self.0
    }

    /// Leaves the machine function alone.
    pub fn truncate_to_outermost(&mut self) {
        self.0.truncate(1);
        self.0.shrink_to_fit();
    }

    /// The machine function.
    #[must_use]
    pub fn outermost(&self) -> &InlineFrame {
        self.0.first().expect("a chain has at least one frame by construction")
    }
}

/// Why an address has no function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Reason {
    /// perf named no object, or one without a file.
    NoObject,
    /// The object's file was not found.
    FileNotFound,
    /// The file found is another build than the one profiled.
    WrongFile,
    /// The file could not be read as ELF.
    Unreadable,
    /// The address lies outside the object's code.
    OutsideObject,
    /// No symbol and no debug information covers the address (stripped file, generated code).
    NoSymbol,
    /// The profile gave neither address nor symbol.
    NoAddress,
}

impl Reason {
    /// The stable text, in kebab case.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoObject => "no-object",
            Self::FileNotFound => "file-not-found",
            Self::WrongFile => "wrong-file",
            Self::Unreadable => "unreadable",
            Self::OutsideObject => "outside-object",
            Self::NoSymbol => "no-symbol",
            Self::NoAddress => "no-address",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The result for an address.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Resolution {
    /// The functions there, outermost first.
    Resolved(InlineChain),
    /// No function, and why.
    Unresolved(Reason),
}

impl Resolution {
    /// The functions at the address, if they are known.
    #[must_use]
    pub fn chain(&self) -> Option<&InlineChain> {
        match self {
            Self::Resolved(chain) => Some(chain),
            Self::Unresolved(_) => None,
        }
    }
}
