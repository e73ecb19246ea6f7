//! The compilers' reasons why calls were not inlined, matched with functions by name, parameters and file.
//!
//! A remark belongs to a call if caller and callee have its names. If several functions of the build share a name, template
//! arguments and parameters decide, and must then be spelled alike: GCC writes `u64` where debug information has
//! `unsigned long`. The caller's file must be the remark's, unless the caller is declared in a header. Doubtful remarks are
//! left out, so a reason is never shown for the wrong call.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::OnceLock;

use pdiff_profile::census::{Census, Function, FunctionId, Linkage};
use pdiff_profile::names::{FunctionName, loose_name};
use pdiff_profile::{InlineRemark, RemarkName, RemarkPlace};
use rustc_hash::FxHashMap;

/// The remarks of one build's compiler on calls.
#[derive(Clone, Debug, Default)]
pub struct InlineReasons {
    /// By the last parts of the names of caller and callee.
    by_names: FxHashMap<[Box<str>; 2], Vec<InlineRemark>>,
    /// How many functions of the build share a name without template arguments; made when first asked for.
    namesakes: OnceLock<FxHashMap<String, usize>>,
}

/// One reason why a function was not inlined into another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InlineReason {
    /// The compiler's words.
    pub words: Box<str>,
    /// The calls that it gave them for, in the source's order.
    pub places: Vec<RemarkPlace>,
    /// The cost of inlining that it computed, where it says so.
    pub cost: Option<i64>,
    /// The cost up to which it would have inlined.
    pub threshold: Option<i64>,
}

impl InlineReasons {
    /// Keeps what was said of each call.
    #[must_use]
    pub fn new(remarks: impl IntoIterator<Item = InlineRemark>) -> Self {
        let mut by_names: FxHashMap<[Box<str>; 2], Vec<InlineRemark>> = FxHashMap::default();
        for remark in remarks {
            let key = [&remark.caller, &remark.callee].map(|name| last_part(name.name.loose()).into());
            by_names.entry(key).or_default().push(remark);
        }
        Self { by_names, namesakes: OnceLock::new() }
    }

    /// Why calls of `callee` in `caller` were not inlined. Empty if the compiler does not say, or was not asked.
    ///
    /// A final decision counts before that of an early pass. A call that was inlined after all has no reason. If nothing is said of
    /// the caller itself, what is said of functions inlined into it counts, because their calls are in its code.
    #[must_use]
    pub fn of_call(&self, census: &Census, caller: FunctionId, callee: FunctionId) -> Vec<InlineReason> {
        let reasons = self.of_caller(census, caller, callee);
        if !reasons.is_empty() {
            return reasons;
        }
        let inlined: BTreeSet<FunctionId> = census.sites_by_caller(caller).map(|site| site.callee).collect();
        inlined.into_iter().flat_map(|inlined| self.of_caller(census, inlined, callee)).collect()
    }

    fn of_caller(&self, census: &Census, caller: FunctionId, callee: FunctionId) -> Vec<InlineReason> {
        let (Some(caller), Some(callee)) = (census.function(caller), census.function(callee)) else {
            return Vec::new();
        };
        let key = [caller, callee].map(|function| last_part(&loose(function)).into());
        let Some(remarks) = self.by_names.get(&key) else { return Vec::new() };
        let is_of_call = |remark: &&InlineRemark| {
            self.is_named(census, &remark.caller, caller)
                && self.is_named(census, &remark.callee, callee)
                && is_in_file(remark, caller)
        };
        let remarks: Vec<&InlineRemark> = remarks.iter().filter(is_of_call).collect();
        // A clone without its scope could be another function of that name, unless the call at its place is known to be this one.
        let lacks_scope = |remark: &InlineRemark| remark.caller.lacks_scope || remark.callee.lacks_scope;
        let known: Vec<&RemarkPlace> =
            remarks.iter().filter(|remark| !lacks_scope(remark)).map(|remark| &remark.place).collect();
        let is_doubtful = |remark: &InlineRemark| lacks_scope(remark) && !known.contains(&&remark.place);
        let has_sure = !known.is_empty();
        let inlined: Vec<&RemarkPlace> =
            remarks.iter().filter(|remark| remark.is_inlined).map(|remark| &remark.place).collect();
        let missed = || {
            let remarks = remarks.iter().filter(|remark| !has_sure || !is_doubtful(remark));
            remarks.filter(|remark| !remark.is_inlined && !inlined.contains(&&remark.place))
        };
        let has_final = missed().any(|remark| !remark.is_early);
        let mut reasons: Vec<InlineReason> = Vec::new();
        for remark in missed().filter(|remark| !has_final || !remark.is_early) {
            let known = reasons.iter_mut().find(|reason| reason.words == remark.words);
            match known {
                Some(reason) => reason.places.push(remark.place.clone()),
                None => reasons.push(InlineReason {
                    words: remark.words.clone(),
                    places: vec![remark.place.clone()],
                    cost: remark.cost,
                    threshold: remark.threshold,
                }),
            }
        }
        for reason in &mut reasons {
            reason.places.sort_unstable();
            reason.places.dedup();
        }
        reasons
    }

    fn is_named(&self, census: &Census, said: &RemarkName, function: Function<'_>) -> bool {
        let own = loose(function);
        if said.lacks_scope {
            return last_part(said.name.loose()) == last_part(&own);
        }
        if said.name.loose() != own {
            return false;
        }
        if self.namesakes(census).get(&own).is_none_or(|count| *count < 2) {
            return true;
        }
        let parameters = said.name.signature().zip(function.signature());
        let same_parameters = parameters.is_none_or(|(said, own)| same_letters(said, &own));
        let is_overloaded = census.find(function.name()).filter(is_own).count() > 1;
        same_letters(said.name.qualified(), function.name()) && (!is_overloaded || same_parameters)
    }

    fn namesakes(&self, census: &Census) -> &FxHashMap<String, usize> {
        self.namesakes.get_or_init(|| {
            let mut count: FxHashMap<String, usize> = FxHashMap::default();
            for function in census.functions().filter(is_own) {
                *count.entry(loose(function)).or_default() += 1;
            }
            count
        })
    }
}

/// A function of the build itself, under its one name.
fn is_own(function: &Function<'_>) -> bool {
    function.is_present() && function.linkage() != Linkage::Imported && function.alias_of().is_none()
}

/// The mark of a function of another object, whose calls go through the procedure linkage table.
const STUB: &str = "@plt";

/// A function's name without template arguments, as compilers know it.
fn loose(function: Function<'_>) -> String {
    let name = function.name();
    let name = name.strip_suffix(STUB).filter(|_| function.linkage() == Linkage::Imported).unwrap_or(name);
    loose_name(name).unwrap_or_else(|| name.to_owned())
}

/// The name without its scope; an operator's sign is not a scope.
fn last_part(loose: &str) -> &str {
    loose.rsplit("::").next().unwrap_or(loose)
}

/// Whether two spellings have the same letters: `char const*` is `const char*`.
fn same_letters(one: &str, other: &str) -> bool {
    let letters = |text: &str| {
        let text = FunctionName::parse(text);
        let text = text.signature().unwrap_or(text.qualified()).replace("(void)", "()");
        let mut letters: Vec<char> = text.chars().filter(|letter| !letter.is_whitespace()).collect();
        letters.sort_unstable();
        letters
    };
    letters(one) == letters(other)
}

/// Whether a remark may be on this caller, by their files.
fn is_in_file(remark: &InlineRemark, caller: Function<'_>) -> bool {
    let name = |path: &str| Path::new(path).file_name().map(std::ffi::OsStr::to_owned);
    let is_source = |path: &&str| {
        let extension = Path::new(path).extension().and_then(std::ffi::OsStr::to_str);
        matches!(extension, Some("c" | "cc" | "cpp" | "cxx" | "C"))
    };
    let sources = caller.file().filter(is_source).zip(Some(&*remark.place.file).filter(is_source));
    sources.is_none_or(|(declared, said)| name(declared) == name(said))
}
