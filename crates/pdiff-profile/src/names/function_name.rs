//! The names of one function, one per level at which two builds may be matched.
//!
//! In: a symbol's text. Out: its spelling at each [`MatchLevel`]. A level that the text does not show is absent, and
//! [`FunctionName::at`] then answers with the next looser one: perf prints no parameters, so its names have neither linkage
//! name nor signature.

use super::MatchLevel;
use super::bounded_text::MAX_NAME_BYTES;
use super::clone_suffix::split_clone_suffix;
use super::demangle::demangle_base;
use super::demangled::Demangled;
use super::libc_variant::reader_name;
use super::loose::loosen;
use super::parameters::split_spelled;
use super::spelling::spell;
use super::symbol_version::{PLT_MARK, split_version};

/// The name of a function whose name is empty.
const NO_NAME: &str = "[no name]";

/// The names of one function at each level.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionName {
    linkage: Option<Box<str>>,
    signature: Option<Box<str>>,
    qualified: Box<str>,
    /// `None` when it is the qualified name.
    loose: Option<Box<str>>,
}

impl FunctionName {
    /// Reads a symbol as a profile or a symbol table spells it, mangled or not.
    ///
    /// ```
    /// use pdiff_profile::names::FunctionName;
    ///
    /// let from_elf = FunctionName::parse("_ZN11PolicyMutexI9TTASMutexE5enterEjjPKcj.part.0");
    /// let from_perf = FunctionName::parse("PolicyMutex<TTASMutex>::enter");
    /// assert_eq!(from_elf.qualified(), from_perf.qualified());
    /// assert_eq!(from_elf.loose(), "PolicyMutex::enter");
    /// assert_eq!(from_elf.linkage(), Some("_ZN11PolicyMutexI9TTASMutexE5enterEjjPKcj"));
    /// ```
    pub fn parse(symbol: &str) -> Self {
        let (base, is_plt) = base_of(symbol);
        match demangle_base(base) {
            Some(name) => Self::from_demangled(base, name).with_plt_mark(is_plt),
            None => Self::from_text(base).with_plt_mark(is_plt),
        }
    }

    /// Takes a name from debug information: the qualified name, and the linkage name where there is one. A linkage
    /// name that can be demangled says it all; `qualified` then does not count.
    pub fn with_linkage(qualified: &str, linkage: Option<&str>) -> Self {
        let Some(linkage) = linkage.filter(|name| !name.is_empty()) else { return Self::parse(qualified) };
        let (base, is_plt) = base_of(linkage);
        let name = match demangle_base(base) {
            Some(name) => Self::from_demangled(base, name),
            None => Self { linkage: Some(base.into()), ..Self::from_text(base_of(qualified).0) },
        };
        name.with_plt_mark(is_plt)
    }

    /// The name at `level`, or at the next looser level that is known.
    pub fn at(&self, level: MatchLevel) -> &str {
        match level {
            MatchLevel::Linkage => self.linkage().or(self.signature()).unwrap_or(&self.qualified),
            MatchLevel::Signature => self.signature().unwrap_or(&self.qualified),
            MatchLevel::Qualified => self.qualified(),
            MatchLevel::Loose => self.loose(),
        }
    }

    /// The linkage name without clone suffix and version, where known.
    pub fn linkage(&self) -> Option<&str> {
        self.linkage.as_deref()
    }

    /// Qualified name with template arguments and parameters, where known.
    pub fn signature(&self) -> Option<&str> {
        self.signature.as_deref()
    }

    /// Qualified name with template arguments, without parameters.
    pub fn qualified(&self) -> &str {
        &self.qualified
    }

    /// Qualified name without template arguments and lambda numbers.
    pub fn loose(&self) -> &str {
        self.loose.as_deref().unwrap_or(&self.qualified)
    }

    fn from_demangled(base: &str, name: Demangled) -> Self {
        Self::new(Some(base), Some(name.signature), name.qualified.into())
    }

    fn from_text(base: &str) -> Self {
        let spelled = spell(reader_name(without_rust_hash(base)));
        let text = &*spelled.text;
        match split_spelled(&spelled) {
            Some(split) => Self::new(None, Some(split.signature.to_owned()), split.qualified.into()),
            None if text.is_empty() => Self::new(None, None, NO_NAME.into()),
            None => Self::new(None, None, text.into()),
        }
    }

    fn new(linkage: Option<&str>, signature: Option<String>, qualified: Box<str>) -> Self {
        let loose = loose_name(&qualified).map(Box::from);
        Self { linkage: linkage.map(Box::from), signature: signature.map(Box::from), qualified, loose }
    }

    fn with_plt_mark(mut self, is_plt: bool) -> Self {
        if is_plt {
            let names = [
                self.linkage.as_mut(),
                self.signature.as_mut(),
                Some(&mut self.qualified),
                self.loose.as_mut(),
            ];
            for name in names.into_iter().flatten() {
                *name = format!("{name}{PLT_MARK}").into();
            }
        }
        self
    }
}

/// The symbol without version and clone suffix, and whether it names a PLT stub.
fn base_of(symbol: &str) -> (&str, bool) {
    let (name, is_plt) = split_version(bounded(symbol.trim()));
    (split_clone_suffix(name).0, is_plt)
}

/// The name, cut at the limit.
fn bounded(symbol: &str) -> &str {
    if symbol.len() <= MAX_NAME_BYTES {
        return symbol;
    }
    let cut = (0..=MAX_NAME_BYTES).rev().find(|&at| symbol.is_char_boundary(at)).unwrap_or(0);
    symbol.get(..cut).unwrap_or(symbol)
}

/// The loose form of a [qualified name](FunctionName::qualified), faster than parsing the name again; `None` if both are
/// the same, which is so for every name without brackets.
///
/// ```
/// use pdiff_profile::names::loose_name;
///
/// assert_eq!(loose_name("PolicyMutex<TTASMutex>::enter").as_deref(), Some("PolicyMutex::enter"));
/// assert_eq!(loose_name("mtr_t::commit"), None);
/// ```
pub fn loose_name(qualified: &str) -> Option<String> {
    let has_brackets = qualified.bytes().any(|byte| matches!(byte, b'<' | b'(' | b'{'));
    has_brackets.then(|| loosen(qualified)).filter(|loose| loose != qualified)
}

/// `alloc::vec::push::h0123456789abcdef` without its hash, which changes with every build.
fn without_rust_hash(text: &str) -> &str {
    match text.rsplit_once("::h") {
        Some((path, hash))
            if !path.is_empty() && hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit()) =>
        {
            path
        }
        _ => text,
    }
}
