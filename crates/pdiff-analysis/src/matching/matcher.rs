//! The levels of matching, one after the other.

use std::borrow::Cow;
use std::hash::Hash;

use pdiff_profile::census::{BodyPart, CallEdge, Census, Function, FunctionId, Linkage};
use pdiff_profile::names::SymbolWords;
use pdiff_profile::{PerSide, Side};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::fuzzy;
use super::group::{Pair, Ties, add_pairs};
use super::groups::{Groups, Hashed};
use super::lambda::{LAMBDA, without_lambda_number, without_lambda_parameters};
use super::level::FoundBy;
use super::matches::{Match, Matching};
use super::source_file;
use super::spelling::{LIBRARIES, Spelling, Spellings, is_plainly_library};
use super::versioned_scopes::VersionedScopes;
use crate::Aliases;

/// Finds the pairs of functions of two builds.
///
/// ```
/// use pdiff_analysis::Aliases;
/// use pdiff_analysis::matching::{FoundBy, match_functions};
/// use pdiff_profile::ObjectAddr;
/// use pdiff_profile::census::{Body, CensusBuilder, FunctionFacts, Visibility};
///
/// let census = |name: &str| {
///     let mut builder = CensusBuilder::new(Visibility::DebugInfo);
///     let name = builder.text(name);
///     let function = builder.function(FunctionFacts::named(name));
///     builder.body(function, Body::at(ObjectAddr(0x1000), 64));
///     builder.finish()
/// };
/// let matching = match_functions(&census("mtr_commit"), &census("mtr_t::commit"), &Aliases::default());
/// assert_eq!(matching.matches()[0].level, FoundBy::Unqualified);
/// ```
#[must_use]
pub fn match_functions(before: &Census, after: &Census, aliases: &Aliases) -> Matching {
    let (before_spellings, after_spellings) = (Spellings::new(before), Spellings::new(after));
    let mut matcher = Matcher {
        before,
        after,
        before_spellings: &before_spellings,
        after_spellings: &after_spellings,
        singles: PerSide::new(before, after).map(comparable),
        own: PerSide::default(),
        matching: Matching::default(),
    };
    matcher.match_imported();
    matcher
        .match_by(FoundBy::Linkage, Ties::Leave, |f| f.linkage_name().filter(|name| !name.contains(CLOSURE)));
    let names = PerSide::new(plain_names(before), plain_names(after));
    let scopes = VersionedScopes::new(&names);
    matcher.match_symbols_of(&scopes);
    matcher.find_nameless();
    matcher.match_by(FoundBy::Signature, Ties::Leave, |f| f.parameters().map(|rest| (f.name(), rest)));
    matcher.match_by(FoundBy::Qualified, Ties::Mark, |f| Some(f.name()));
    matcher.match_names_of(&scopes);
    // Compilers number lambdas in different ways, and debug information alone does not tell the parameters of one that is
    // only inlined.
    matcher.match_by(FoundBy::Loose, Ties::Leave, |f| without_lambda_number(f.name()));
    matcher.match_by(FoundBy::Loose, Ties::Leave, |f| without_lambda_parameters(f.name()));
    matcher.find_own();
    matcher.match_unscoped();
    matcher.match_aliases(aliases);
    // Instances of one template of a library are different functions, however alike their names without arguments.
    matcher.match_spelled(FoundBy::Loose, |spelling| Some(Cow::from(&*spelling.loose)));
    matcher.match_spelled(FoundBy::Loose, Spelling::without_namespaces);
    matcher.match_unique(|spelling| spelling.of_class().map(Cow::from));
    matcher.match_unique(|spelling| spelling.flattened().map(Cow::from));
    matcher.match_unique(|spelling| spelling.unqualified().map(Cow::from));
    matcher.match_fuzzy();
    matcher.match_same_code();
    matcher.matching
}

/// In the linkage name of a lambda that Clang numbers through the source file: one more lambda above gives it to another.
const CLOSURE: &str = "$_";

/// In the linkage name of a lambda.
const LAMBDA_SYMBOL: &str = "Ul";

/// Functions of fewer bytes have the same code by chance.
pub(crate) const TELLING_BYTES: u64 = 64;

struct Matcher<'a> {
    before: &'a Census,
    after: &'a Census,
    before_spellings: &'a Spellings<'a>,
    after_spellings: &'a Spellings<'a>,
    /// Functions of each side without a partner, but for those of which only the linkage name is known and that no name of
    /// the other side can be.
    singles: PerSide<Vec<Function<'a>>>,
    /// Functions of each side that found no partner by strict levels and are not library code.
    own: PerSide<Vec<Function<'a>>>,
    matching: Matching,
}

/// The names of functions that are known by more than a linkage name.
pub(crate) fn plain_names(census: &Census) -> Vec<&str> {
    let is_plain =
        |function: &Function<'_>| !function.is_mangled() && !function.is_inlined_without_instance();
    census.functions().filter(is_plain).map(Function::name).collect()
}

/// The functions of a build. What its compiler inlined without leaving an instance has nothing that could be compared.
fn comparable(census: &Census) -> Vec<Function<'_>> {
    census.functions().filter(|function| !function.is_inlined_without_instance()).collect()
}

/// Whether a qualified name begins with the namespace of a library.
fn is_in_library(name: &str) -> bool {
    LIBRARIES.iter().any(|namespace| name.starts_with(namespace))
}

impl<'a> Matcher<'a> {
    /// Functions of one linkage name, but for the version that a namespace carries.
    fn match_symbols_of(&mut self, scopes: &VersionedScopes) {
        if !scopes.is_empty() {
            let symbol = |f: Function<'a>| f.linkage_name().filter(|name| !name.contains(CLOSURE));
            self.match_by(FoundBy::Alias, Ties::Leave, |f| scopes.symbol_of_after(symbol(f)?));
        }
    }

    /// Functions of one signature, then of one name, but for that.
    fn match_names_of(&mut self, scopes: &VersionedScopes) {
        if scopes.is_empty() {
            return;
        }
        let name = |f: Function<'a>| scopes.of_after(f.name());
        self.match_by(FoundBy::Alias, Ties::Leave, |f| {
            let parameters = f.parameters()?;
            Some((name(f)?, scopes.of_after(parameters).unwrap_or(Cow::Borrowed(parameters))))
        });
        self.match_by(FoundBy::Alias, Ties::Mark, name);
    }

    /// Known renames, from Before's names to After's, then the other way: the base build may be the newer one. A name
    /// may have several heirs, the first that is there and free is taken.
    fn match_aliases(&mut self, aliases: &Aliases) {
        let asks_libraries = LIBRARIES.iter().any(|namespace| aliases.may_begin_with(namespace));
        for old in Side::BOTH {
            let (census, spellings, new, other) = match old {
                Side::Before => (self.before, self.before_spellings, Side::After, self.after),
                Side::After => (self.after, self.after_spellings, Side::Before, self.before),
            };
            let new_names = |function: &Function<'a>| {
                let mut names = aliases.after_names(function.name());
                let spelling = if asks_libraries || !is_plainly_library(function.name()) {
                    spellings.get(function.id())
                } else {
                    None
                };
                // A borrowed spelling is the name itself.
                let loose = spelling.filter(|spelling| matches!(spelling.loose, Cow::Owned(_)));
                names.extend(loose.into_iter().flat_map(|spelling| aliases.after_names(&spelling.loose)));
                names
            };
            // Where renames concern libraries, all functions have names.
            let may_be_renamed = |function: &Function<'_>| {
                function.is_present() && !function.is_mangled() && !self.matching.has(old, function.id())
            };
            let functions: Vec<Function<'a>> = census.functions().filter(may_be_renamed).collect();
            let renamed = functions.into_par_iter().map(|function| (function, new_names(&function)));
            let renamed: Vec<_> = renamed.filter(|(_, names)| !names.is_empty()).collect();
            for (function, names) in renamed {
                let heirs_of = |name: &String| -> Vec<FunctionId> {
                    let free = |f: &Function<'_>| f.is_present() && !self.matching.has(new, f.id());
                    other.find(name).filter(free).map(Function::id).collect()
                };
                let heirs = names.iter().map(heirs_of).find(|heirs| !heirs.is_empty());
                let Some(heirs) = heirs else { continue };
                let renamed = [function.id()];
                let group = match old {
                    Side::Before => (&renamed[..], &heirs[..]),
                    Side::After => (&heirs[..], &renamed[..]),
                };
                let mut pairs = Vec::new();
                add_pairs(self.before, self.after, group, Ties::Mark, &mut pairs);
                self.push(pairs, FoundBy::Alias);
            }
        }
    }

    fn match_by<K: Hash + Eq + Send>(
        &mut self,
        level: FoundBy,
        ties: Ties,
        key: impl Fn(Function<'a>) -> Option<K> + Sync,
    ) {
        let PerSide { before, after } = self.singles.as_ref().map(|singles| keys(singles, &key));
        let groups = Groups::new(&before, &after);
        self.take(&groups, level, ties);
    }

    /// Pairs of one spelling; library code is left alone.
    fn match_spelled(
        &mut self,
        level: FoundBy,
        key: impl Fn(&'a Spelling<'a>) -> Option<Cow<'a, str>> + Sync,
    ) {
        let groups = self.spelled_groups(|_, spelling| key(spelling));
        self.take(&groups, level, Ties::Leave);
    }

    /// Pairs whose key no other function without a partner has; library code is left alone.
    fn match_unique(&mut self, key: impl Fn(&'a Spelling<'a>) -> Option<Cow<'a, str>> + Sync) {
        let groups = self.spelled_groups(|_, spelling| key(spelling));
        let pairs = self.lone_pairs(&groups, |_, _| true);
        self.push(pairs, FoundBy::Unqualified);
    }

    /// Functions that one build only contains inlined, and that the other only calls in another object: an `extern inline`
    /// function of a library, by the stub that leads there. Debug information may declare it in the other build, too; that
    /// is not code.
    fn match_imported(&mut self) {
        for side in Side::BOTH {
            let other = match side {
                Side::Before => self.after,
                Side::After => self.before,
            };
            // Few functions are stubs, and to look a name up among all takes longer than anything here.
            let mut stubs: FxHashMap<&str, FunctionId> = FxHashMap::default();
            for stub in other.functions().filter(|function| function.linkage() == Linkage::Imported) {
                if let Some(name) = stub.name().strip_suffix("@plt") {
                    stubs.entry(name).or_insert(stub.id());
                }
            }
            let words = SymbolWords::new(stubs.keys().copied());
            let may_be_stub = |function: &&Function<'a>| {
                let symbol = || function.linkage_name().unwrap_or("");
                let is_inlined = function.bodies().is_empty() && function.is_present();
                is_inlined && (!function.is_mangled() || words.may_be_of(symbol()))
            };
            let inlined = self.singles[side].par_iter().filter(may_be_stub);
            let inlined = inlined.filter_map(|function| Some((*function, *stubs.get(function.name())?)));
            let mut inlined: Vec<(Function<'a>, FunctionId)> = inlined.collect();
            let present = names_present(other, inlined.iter().map(|(function, _)| function.name()));
            inlined.retain(|(function, _)| !present.contains(function.name()));
            let pair = |(function, stub): (Function<'a>, FunctionId)| {
                let (before, after) = match side {
                    Side::Before => (function.id(), stub),
                    Side::After => (stub, function.id()),
                };
                Pair { before, after, is_ambiguous: false }
            };
            let pairs = inlined.into_iter().map(pair).collect();
            self.push(pairs, FoundBy::Qualified);
        }
    }

    /// Functions whose scope one build does not tell: the last part of the name, and the source file.
    fn match_unscoped(&mut self) {
        let groups = self.spelled_groups(|function, spelling| {
            Some((spelling.last(), source_file::stem(function.file()?)))
        });
        let pairs = self.lone_pairs(&groups, |before, after| is_unscoped(before) != is_unscoped(after));
        self.push(pairs, FoundBy::Unscoped);
        self.match_unscoped_by_callers();
    }

    /// The same where the file is not told either (Clang at `-g1`): the last part of the name, which one function without a
    /// partner has on each side, and a caller with a partner, which contains the one inlined and in the other build calls
    /// the other or contains it inlined, too.
    fn match_unscoped_by_callers(&mut self) {
        let groups = self.spelled_groups(|_, spelling| Some(spelling.last()));
        let is_bare = |function: Function<'_>| is_unscoped(function) && function.file().is_none();
        let one_is_bare = |before: Function<'a>, after: Function<'a>| match (is_bare(before), is_bare(after))
        {
            (true, false) => self.shares_caller(Side::Before, before, after),
            (false, true) => self.shares_caller(Side::After, after, before),
            _ => false,
        };
        let pairs = self.lone_pairs(&groups, one_is_bare);
        self.push(pairs, FoundBy::Unscoped);
    }

    /// Whether a caller that holds `inlined`, of side `at`, in the other build calls or holds `other`.
    fn shares_caller(&self, at: Side, inlined: Function<'_>, other: Function<'_>) -> bool {
        let (here, there) = match at {
            Side::Before => (self.before, self.after),
            Side::After => (self.after, self.before),
        };
        let mut partners = here.inlined_into(inlined.id()).filter_map(|into| match at {
            Side::Before => self.matching.after_of(into.caller).map(|found| found.after),
            Side::After => self.matching.before_of(into.caller).map(|found| found.before),
        });
        partners.any(|caller| {
            there.call(caller, other.id()).is_some() || !there.sites_in(other.id(), caller).is_empty()
        })
    }

    /// Functions of one source file with the same code, which no other function without a partner has, and with the same calls. Where a
    /// callee has another name, too, it must be found first.
    fn match_same_code(&mut self) {
        loop {
            let groups = self.spelled_groups(|function, _| {
                let [body] = function.bodies() else { return None };
                let is_telling = body.part == BodyPart::Whole && body.bytes >= TELLING_BYTES;
                is_telling.then_some(())?;
                Some((body.hash?, body.bytes, source_file::stem(function.file()?)))
            });
            let pairs = self.lone_pairs(&groups, |before, after| {
                let same = self.before.same_code(before.id(), self.after, after.id());
                let partner = |callee: FunctionId| match callee == before.id() {
                    true => Some(after.id()),
                    false => self.matching.after_of(callee).map(|found| found.after),
                };
                same == Some(true)
                    && same_calls((self.before, before.id()), (self.after, after.id()), partner)
            });
            if pairs.is_empty() {
                return;
            }
            self.push(pairs, FoundBy::Code);
        }
    }

    fn match_fuzzy(&mut self) {
        let renames = fuzzy::renames(
            (self.before, self.before_spellings, &self.own.before),
            (self.after, self.after_spellings, &self.own.after),
            &self.matching,
        );
        for found in renames {
            self.matching.push(Match {
                before: found.before,
                after: found.after,
                level: FoundBy::Fuzzy,
                is_ambiguous: false,
                score: Some(found.score),
            });
        }
    }

    /// Finds the functions whose linkage name has no partner and shows that no other name has: it contains the words of none.
    /// So only few linkage names are demangled, those of the side with fewer and those like one of them.
    fn find_nameless(&mut self) {
        let singles = &self.singles;
        let mangled = singles.as_ref().map(|all| all.iter().filter(|function| function.is_mangled()).count());
        let fewer = if mangled.before <= mangled.after { Side::Before } else { Side::After };
        let library = singles[fewer].iter().filter(|f| f.is_mangled() || is_in_library(f.name()));
        let names: Vec<&str> = library.map(|function| function.name()).collect();
        let has_lambda = names.iter().any(|name| name.contains(LAMBDA));
        let words = SymbolWords::new(names);
        let is_nameless = |function: &&Function<'_>| {
            let symbol = function.linkage_name().unwrap_or("");
            let may_be_lambda = has_lambda && (symbol.contains(LAMBDA_SYMBOL) || symbol.contains(CLOSURE));
            function.is_mangled() && !may_be_lambda && !words.may_be_of(symbol)
        };
        let others = &singles[fewer.other()];
        let others = others.par_iter().filter(|function| !is_nameless(function)).copied().collect();
        self.singles[fewer.other()] = others;
    }

    fn find_own(&mut self) {
        let keep = |functions: &[Function<'a>], spellings: &'a Spellings<'a>| -> Vec<Function<'a>> {
            let own = functions.par_iter().filter(|function| !spellings.is_library(function.id()));
            own.copied().collect()
        };
        self.own = PerSide::new(
            keep(&self.singles.before, self.before_spellings),
            keep(&self.singles.after, self.after_spellings),
        );
    }

    /// Functions without a partner, by key; library code is left out.
    fn spelled_groups<K: Hash + Eq + Send>(
        &self,
        key: impl Fn(Function<'a>, &'a Spelling<'a>) -> Option<K> + Sync,
    ) -> Groups {
        let PerSide { before, after } = PerSide::from_fn(|side| -> Vec<Function<'a>> {
            let is_single = |function: &&Function<'a>| !self.matching.has(side, function.id());
            self.own[side].iter().filter(is_single).copied().collect()
        });
        let key_of = |function: Function<'a>, spellings: &'a Spellings<'a>| {
            key(function, spellings.get(function.id())?)
        };
        Groups::new(
            &keys(&before, |function| key_of(function, self.before_spellings)),
            &keys(&after, |function| key_of(function, self.after_spellings)),
        )
    }

    fn take(&mut self, groups: &Groups, level: FoundBy, ties: Ties) {
        let add = |mut pairs: Vec<Pair>, group| {
            add_pairs(self.before, self.after, group, ties, &mut pairs);
            pairs
        };
        let found = groups.of_both().into_par_iter().fold(Vec::new, add).flatten().collect();
        self.push(found, level);
    }

    /// The only function of a key on one side with the only one on the other, where they fit.
    fn lone_pairs(&self, groups: &Groups, fit: impl Fn(Function<'a>, Function<'a>) -> bool) -> Vec<Pair> {
        let pair = |(left, right): (&[FunctionId], &[FunctionId])| {
            let (&[before], &[after]) = (left, right) else { return None };
            let fits = fit(self.before.function(before)?, self.after.function(after)?);
            fits.then_some(Pair { before, after, is_ambiguous: false })
        };
        groups.of_both().into_iter().filter_map(pair).collect()
    }

    fn push(&mut self, mut pairs: Vec<Pair>, level: FoundBy) {
        pairs.sort_unstable_by_key(|pair| (pair.before, pair.after));
        for pair in pairs {
            self.matching.push(Match {
                before: pair.before,
                after: pair.after,
                level,
                is_ambiguous: pair.is_ambiguous,
                score: None,
            });
        }
        for side in Side::BOTH {
            self.singles[side].retain(|function| !self.matching.has(side, function.id()));
        }
    }
}

/// Whether two functions call the same functions with code of their own, by as many calls and jumps: not, if one of these has no partner.
pub(crate) fn same_calls(
    (before, function): (&Census, FunctionId),
    (after, in_after): (&Census, FunctionId),
    partner: impl Fn(FunctionId) -> Option<FunctionId>,
) -> bool {
    let has_code = |census: &Census, edge: &CallEdge| {
        census.function(edge.callee).is_some_and(|callee| !callee.bodies().is_empty())
    };
    let old = before.calls_from(function).iter().filter(|edge| has_code(before, edge));
    let new = after.calls_from(in_after).iter().filter(|edge| has_code(after, edge));
    let mut old: Vec<_> = old.map(|edge| (partner(edge.callee), edge.calls, edge.tail_jumps)).collect();
    let mut new: Vec<_> = new.map(|edge| (Some(edge.callee), edge.calls, edge.tail_jumps)).collect();
    old.sort_unstable();
    new.sort_unstable();
    old == new
}

/// Those of some names that functions of a build have, out of line or inlined.
fn names_present<'n>(census: &Census, names: impl Iterator<Item = &'n str>) -> FxHashSet<&'n str> {
    let names: FxHashSet<&str> = names.collect();
    let of_library: Vec<&str> = names.iter().copied().filter(|name| is_in_library(name)).collect();
    let is_late = |function: &Function<'_>| function.is_mangled() && function.is_present();
    let late: Vec<Function<'_>> =
        if of_library.is_empty() { Vec::new() } else { census.functions().filter(is_late).collect() };
    let words = SymbolWords::new(of_library);
    let may_be_one = |function: &Function<'_>| words.may_be_of(function.linkage_name().unwrap_or(""));
    let late: FxHashSet<&str> = late.into_par_iter().filter(may_be_one).map(Function::name).collect();
    let is_present = |name: &&str| census.find(name).any(Function::is_present) || late.contains(*name);
    names.into_iter().filter(is_present).collect()
}

/// Whether a build tells a function only where it is inlined, and no scope of it.
fn is_unscoped(function: Function<'_>) -> bool {
    function.linkage_name().is_none() && !function.name().contains("::") && function.out_of_line() == 0
}

/// Functions with their keys, in their order.
fn keys<'a, K: Hash + Send>(
    functions: &[Function<'a>],
    key: impl Fn(Function<'a>) -> Option<K> + Sync,
) -> Vec<(Hashed<K>, FunctionId)> {
    let with_key = |function: &Function<'a>| Some((Hashed::new(key(*function)?), function.id()));
    functions.par_iter().filter_map(with_key).collect()
}
