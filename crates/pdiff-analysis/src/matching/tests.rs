//! Tests of matching: two lists of functions in, pairs out.

use pdiff_profile::ObjectAddr;
use pdiff_profile::census::{
    Body, BodyHash, CallEdge, Census, CensusBuilder, EdgeSource, Function, FunctionFacts, FunctionId,
    InlineSite, Linkage, Producer, Visibility,
};
use pdiff_profile::names::{FunctionName, demangle};

use super::{FoundBy, match_functions};
use crate::Aliases;

/// A census of functions written as `linkage name`, `signature` or `signature @ file` (file-local); each calls the next.
fn census(names: &[&str]) -> Census {
    census_without_names(names, |_| false)
}

/// The same, where only the linkage names are kept of those that `is_mangled` names.
fn census_without_names(names: &[&str], is_mangled: impl Fn(&str) -> bool) -> Census {
    let mut builder = CensusBuilder::new(Visibility::DebugInfo);
    let mut before: Option<FunctionId> = None;
    for (text, addr) in names.iter().zip((0x1000..).step_by(0x100)) {
        let (text, file) = text.split_once(" @ ").map_or((*text, None), |(text, file)| (text, Some(file)));
        let name = FunctionName::parse(text);
        let parameters = name.signature().and_then(|signature| signature.strip_prefix(name.qualified()));
        let facts = FunctionFacts {
            parameters: parameters.map(|parameters| builder.text(parameters)),
            linkage_name: demangle(text).map(|_| builder.text(text)),
            file: file.map(|file| builder.text(file)),
            linkage: if file.is_some() { Linkage::Local } else { Linkage::External },
            ..FunctionFacts::named(builder.text(name.qualified()))
        };
        let facts = match facts.linkage_name.filter(|_| is_mangled(text)) {
            Some(linkage) => FunctionFacts { name: linkage, is_mangled: true, parameters: None, ..facts },
            None => facts,
        };
        let function = builder.function(facts);
        builder.body(function, Body::at(ObjectAddr(addr), 0x80));
        if let Some(caller) = before.replace(function) {
            let source = EdgeSource::Disassembly;
            builder.edge(CallEdge { caller, callee: function, calls: 1, tail_jumps: 0, source });
        }
    }
    builder.finish()
}

/// The pairs as `before > after (level)`, by name; ambiguous ones with a question mark.
fn pairs_with(before: &[&str], after: &[&str], aliases: &str) -> Vec<String> {
    pairs_of(&census(before), &census(after), aliases)
}

fn pairs_of(before: &Census, after: &Census, aliases: &str) -> Vec<String> {
    let matching = match_functions(before, after, &Aliases::parse(aliases).unwrap());
    let text = |function: Function<'_>| {
        let file = function.file().map(|file| format!("@{file}")).unwrap_or_default();
        format!("{}{file}", function.signature().unwrap_or_else(|| function.name().to_owned()))
    };
    let mut pairs: Vec<String> = matching
        .matches()
        .iter()
        .map(|found| {
            let (b, a) = (before.function(found.before).unwrap(), after.function(found.after).unwrap());
            let mark = if found.is_ambiguous { "?" } else { "" };
            format!("{} > {} ({}{mark})", text(b), text(a), found.level)
        })
        .collect();
    pairs.sort();
    pairs
}

fn check(before: &[&str], after: &[&str], expected: &[&str]) {
    assert_eq!(pairs_with(before, after, ""), expected);
}

#[test]
fn lambdas_of_one_function_are_found_by_parameters_or_number() {
    // GCC's names against Clang's: the parameters distinguish them.
    check(
        &["_ZZL6helperlENKUllE_clEl", "_ZZL6helperlENKUldE0_clEd"],
        &["_ZZL6helperlENK3$_5clEl", "_ZZL6helperlENK3$_7clEd"],
        &[
            "helper(long)::{lambda(double)#2}::operator()(double) const > \
             helper(long)::{lambda(double)}::operator()(double) const (loose)",
            "helper(long)::{lambda(long)#1}::operator()(long) const > \
             helper(long)::{lambda(long)}::operator()(long) const (loose)",
        ],
    );
    // Clang gives the number of one lambda to another when there is one more above.
    check(
        &["_ZZL6helperlENK3$_5clEl", "_ZZL6helperlENK3$_6clEd"],
        &["_ZZL6helperlENK3$_6clEl", "_ZZL6helperlENK3$_7clEd"],
        &[
            "helper(long)::{lambda(double)}::operator()(double) const > \
             helper(long)::{lambda(double)}::operator()(double) const (signature)",
            "helper(long)::{lambda(long)}::operator()(long) const > \
             helper(long)::{lambda(long)}::operator()(long) const (signature)",
        ],
    );
    // Debug information alone tells no parameters of GCC's: the number distinguishes them.
    check(
        &["helper::{lambda#2}::operator()", "helper::{lambda#1}::operator()"],
        &["_ZZL6helperlENKUllE_clEl", "_ZZL6helperlENKUllE0_clEl"],
        &[
            "helper::{lambda#1}::operator() > helper(long)::{lambda(long)#1}::operator()(long) const (loose)",
            "helper::{lambda#2}::operator() > helper(long)::{lambda(long)#2}::operator()(long) const (loose)",
        ],
    );
}

#[test]
fn each_level_finds_its_pairs() {
    check(&["_Z4leafi"], &["_Z4leafi"], &["leaf(int) > leaf(int) (linkage)"]);
    check(&["_ZN1AC1Ev"], &["_ZN1AC2Ev"], &["A::A() > A::A() (signature)"]);
    check(&["_Z4leafj"], &["_Z4leafm"], &["leaf(unsigned int) > leaf(unsigned long) (qualified)"]);
    check(&["Mutex::enter"], &["Mutex<int>::enter"], &["Mutex::enter > Mutex<int>::enter (loose)"]);
    check(&["dd_open"], &["dd_cache_open"], &[]);
    check(&["commit"], &["ns::commit"], &["commit > ns::commit (loose)"]);
    check(&["mtr_commit"], &["mtr_t::commit"], &["mtr_commit > mtr_t::commit (unqualified)"]);
    check(&["heap_create_func"], &["heap_create"], &["heap_create_func > heap_create (unqualified)"]);
    check(
        &["Old_class::prepare"],
        &["New_class::prepare"],
        &["Old_class::prepare > New_class::prepare (unqualified)"],
    );
}

#[test]
fn functions_of_a_namespace_that_carries_a_version_keep_their_names() {
    let of = |scope: &str, length: usize| {
        let symbols = ["4Cord6AppendEv", "4Cord6AppendEi", "4Hash3MixEv"];
        let symbols = symbols.iter().map(|rest| format!("_ZN3abs{length}{scope}{rest}"));
        let names =
            ["Map<int>::insert", "Map<int>::find", "join"].iter().map(|rest| format!("abs::{scope}::{rest}"));
        symbols.chain(names).chain([format!("std::vector<abs::{scope}::Cord>::at")]).collect::<Vec<_>>()
    };
    let (before, after) = (of("v2_0", 4), of("v12", 3));
    let [before, after] = [&before, &after].map(|names| names.iter().map(String::as_str).collect::<Vec<_>>());
    check(
        &before,
        &after,
        &[
            "abs::v2_0::Cord::Append() > abs::v12::Cord::Append() (alias)",
            "abs::v2_0::Cord::Append(int) > abs::v12::Cord::Append(int) (alias)",
            "abs::v2_0::Hash::Mix() > abs::v12::Hash::Mix() (alias)",
            "abs::v2_0::Map<int>::find > abs::v12::Map<int>::find (alias)",
            "abs::v2_0::Map<int>::insert > abs::v12::Map<int>::insert (alias)",
            "abs::v2_0::join > abs::v12::join (alias)",
            "std::vector<abs::v2_0::Cord>::at > std::vector<abs::v12::Cord>::at (alias)",
        ],
    );
}

#[test]
fn known_renames_come_before_likeness() {
    let aliases = "[[alias]]\nbefore = 'mutex_spin_wait'\nafter = 'Event::spin'\n\
                   [[prefix]]\nbefore = 'st_select_lex::'\nafter = 'Query_block::'";
    let pairs = pairs_with(
        &["mutex_spin_wait", "st_select_lex::init"],
        &["Event::spin", "Query_block::init"],
        aliases,
    );
    assert_eq!(
        pairs,
        ["mutex_spin_wait > Event::spin (alias)", "st_select_lex::init > Query_block::init (alias)"]
    );
}

#[test]
fn known_renames_hold_where_the_base_build_is_the_newer_one() {
    let aliases = "[[alias]]\nbefore = 'mutex_spin_wait'\nafter = 'Event::spin'\n\
                   [[prefix]]\nbefore = 'st_select_lex::'\nafter = 'Query_block::'";
    let pairs = pairs_with(
        &["Event::spin", "Query_block::init"],
        &["mutex_spin_wait", "st_select_lex::init"],
        aliases,
    );
    assert_eq!(
        pairs,
        ["Event::spin > mutex_spin_wait (alias)", "Query_block::init > st_select_lex::init (alias)"]
    );
}

#[test]
fn namesakes_are_told_apart_by_file() {
    let before = ["init() @ sql/a.cc", "init() @ sql/b.cc"];
    let after = ["init() @ x/sql/b.cc", "init() @ x/sql/a.cc"];
    check(
        &before,
        &after,
        &[
            "init()@sql/a.cc > init()@x/sql/a.cc (signature)",
            "init()@sql/b.cc > init()@x/sql/b.cc (signature)",
        ],
    );
}

#[test]
fn overloads_are_told_apart_by_parameters() {
    let before = ["_Z3putPKcj", "_Z3putid"];
    let after = ["_Z3putPKcm", "_Z3putidd"];
    check(
        &before,
        &after,
        &[
            "put(char const*, unsigned int) > put(char const*, unsigned long) (qualified)",
            "put(int, double) > put(int, double, double) (qualified)",
        ],
    );
}

#[test]
fn what_nothing_tells_apart_is_marked() {
    let pairs = pairs_with(&["f(A)", "f(B)"], &["f(C)", "f(D)"], "");
    assert_eq!(pairs, ["f(A) > f(C) (qualified?)", "f(B) > f(D) (qualified?)"]);
}

#[test]
fn a_rename_needs_like_words_and_like_neighbours() {
    let before = ["_Z4mainv", "row_search_for_mysql", "_Z4donev"];
    check(
        &before,
        &["_Z4mainv", "row_search_mvcc", "_Z4donev"],
        &[
            "done() > done() (linkage)",
            "main() > main() (linkage)",
            "row_search_for_mysql > row_search_mvcc (fuzzy)",
        ],
    );
    let replaced = pairs_with(&before, &["_Z4mainv", "fold_condition", "_Z4donev"], "");
    assert_eq!(replaced.len(), 2, "neighbours alone make no pair: {replaced:?}");
}

#[test]
fn a_function_without_one_of_its_neighbours_is_another() {
    let before = ["_Z4mainv", "sort", "_Z4donev", "_Z5otherv"];
    let pairs = pairs_with(&before, &["_Z4mainv", "sort_func", "_Z4donev", "_Z5otherv"], "");
    assert!(pairs.contains(&"sort > sort_func (fuzzy)".to_owned()), "{pairs:?}");
    let pairs = pairs_with(&before, &["_Z4mainv", "_Z4donev", "_Z5otherv", "sort_func"], "");
    assert_eq!(pairs.len(), 3, "{pairs:?}");
}

#[test]
fn library_code_is_not_taken_for_renamed() {
    check(&["std::vector<int>::emplace_back_aux"], &["my::emplace_back_aux"], &[]);
}

#[test]
fn swapped_sides_give_the_same_exact_pairs() {
    let (left, right) = (["_Z4leafj", "f(A)", "g", "mtr_commit"], ["_Z4leafm", "f(B)", "h", "mtr_t::commit"]);
    let (left, right) = (census(&left), census(&right));
    let there = match_functions(&left, &right, &Aliases::default());
    let back = match_functions(&right, &left, &Aliases::default());
    let pairs = |found: Vec<(FunctionId, FunctionId, FoundBy)>| {
        let mut found = found;
        found.sort_unstable();
        found
    };
    let there = pairs(there.matches().iter().map(|m| (m.before, m.after, m.level)).collect());
    let back = pairs(back.matches().iter().map(|m| (m.after, m.before, m.level)).collect());
    assert_eq!(there, back);
}

#[test]
fn what_one_build_only_declares_is_no_partner_of_code() {
    // Both builds name the function twice: its code, and a declaration in a header that callers refer to. In the second
    // build the code took over the header as its file.
    let build = |file_of_code: bool| {
        let mut builder = CensusBuilder::new(Visibility::DebugInfo);
        let (name, header) = (builder.text("checksum"), builder.text("x/sum.h"));
        let code = builder.function(FunctionFacts {
            file: file_of_code.then_some(header),
            linkage_name: (!file_of_code).then_some(name),
            ..FunctionFacts::named(name)
        });
        builder.body(code, Body::at(ObjectAddr(0x1000), 0x80));
        let declared =
            FunctionFacts { file: (!file_of_code).then_some(header), ..FunctionFacts::named(name) };
        let _declared = builder.function(declared);
        builder.finish()
    };
    let (before, after) = (build(false), build(true));
    let matching = match_functions(&before, &after, &Aliases::default());
    let present = matching.matches().iter().find(|found| before.function(found.before).unwrap().is_present());
    let partner = after.function(present.unwrap().after).unwrap();
    assert!(partner.is_present(), "{:?}", matching.matches());
}

#[test]
fn a_known_rename_of_what_is_only_declared_takes_no_partner() {
    let mut builder = CensusBuilder::new(Visibility::DebugInfo);
    let name = builder.text("mutex_spin_wait");
    let _declared = builder.function(FunctionFacts::named(name));
    let aliases = Aliases::parse("[[alias]]\nbefore = 'mutex_spin_wait'\nafter = 'Event::spin'").unwrap();
    let (declared, there) = (builder.finish(), census(&["Event::spin"]));
    assert!(match_functions(&declared, &there, &aliases).matches().is_empty());
    assert!(match_functions(&there, &declared, &aliases).matches().is_empty());
}

/// A function of a library that is inlined on one side; the other calls it in the library, and its debug information declares it.
#[test]
fn an_inlined_function_is_the_one_that_the_other_build_calls_in_a_library() {
    let before = {
        let mut builder = CensusBuilder::new(Visibility::DebugInfo);
        let [lower, caller] = ["lower", "caller"].map(|name| {
            let name = builder.text(name);
            builder.function(FunctionFacts::named(name))
        });
        builder.body(caller, Body::at(ObjectAddr(0x1000), 0x80));
        builder.site(InlineSite { callee: lower, caller, file: None, line: 0, count: 1 });
        builder.finish()
    };
    let after = |has_code: bool| {
        let mut builder = CensusBuilder::new(Visibility::DebugInfo);
        let [declared, stub] = ["lower", "lower@plt"].map(|name| builder.text(name));
        let declared = builder.function(FunctionFacts::named(declared));
        builder.function(FunctionFacts { linkage: Linkage::Imported, ..FunctionFacts::named(stub) });
        if has_code {
            builder.body(declared, Body::at(ObjectAddr(0x2000), 0x80));
        }
        builder.finish()
    };
    let partner = |after: &Census| {
        let matching = match_functions(&before, after, &Aliases::default());
        let lower = before.find("lower").next().unwrap().id();
        after.function(matching.after_of(lower).unwrap().after).unwrap().name().to_owned()
    };
    assert_eq!(partner(&after(false)), "lower@plt");
    assert_eq!(partner(&after(true)), "lower");
}

#[test]
fn what_only_a_scope_has_in_common_is_no_rename() {
    // Both are the only function of their build under the same caller, in one class or in two.
    check(
        &["_Z4mainv", "kv::stats::Tracer::trace"],
        &["_Z4mainv", "kv::stats::Audit::record"],
        &["main() > main() (linkage)"],
    );
}

#[test]
fn library_functions_without_names_have_the_partners_that_they_have_with_names() {
    let before = [
        "_Z4mainv",
        "_ZNSt6vectorIiSaIiEE9push_backERKi",
        "_ZNSs6assignEPKc",
        "_ZNSt6vectorI3rowSaIS0_EE5beginEv",
        "_ZSt4sortIPiZ4mainvEUlvE_EvT_S2_T0_",
        "_ZNSt3setIiE5eraseEv",
        // Debug information of old compilers has no linkage names of what is only inlined.
        "std::_Destroy<row*>",
    ];
    let after = [
        "_Z4mainv",
        "_ZNSt6vectorIiSaIiEE9push_backERKi",
        "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6assignEPKc",
        "_ZNSt6vectorI3colSaIS0_EE5beginEv",
        "_ZSt4sortIPiZ4mainvEUlvE0_EvT_S2_T0_",
        "_ZNSt3setIiE5eraseEi",
        "_ZNSt3mapIiE5eraseEv",
        "_ZNSt3mapIiE5clearEv",
        "_ZSt8_DestroyIP3rowEvT_S2_",
    ];
    let is_library = |symbol: &str| symbol.starts_with("_ZNS") || symbol.starts_with("_ZS");
    let with_names = pairs_with(&before, &after, "");
    assert_eq!(with_names.len(), 6, "{with_names:?}");
    for swapped in [false, true] {
        let (before, after) = if swapped { (&after[..], &before[..]) } else { (&before[..], &after[..]) };
        let nameless = [before, after].map(|names| census_without_names(names, is_library));
        assert_eq!(pairs_of(&nameless[0], &nameless[1], ""), pairs_with(before, after, ""));
    }
}

#[test]
fn a_class_that_moved_to_another_namespace_keeps_its_functions() {
    check(
        &["OT::RangeRecord::cmp(unsigned int)"],
        &["OT::Layout::Common::RangeRecord<OT::Layout::SmallTypes>::cmp(unsigned int)"],
        &[
            "OT::RangeRecord::cmp(unsigned int) > OT::Layout::Common::RangeRecord<OT::Layout::SmallTypes>::cmp(unsigned int) (unqualified)",
        ],
    );
    // Two may be the one.
    check(
        &["OT::RangeRecord::cmp(unsigned int)"],
        &["OT::Small::RangeRecord::cmp(unsigned int)", "OT::Medium::RangeRecord::cmp(unsigned int)"],
        &[],
    );
}

#[test]
fn the_same_code_in_one_source_file_is_the_same_function() {
    // Name, file, hash and callee of functions of 0x80 bytes.
    let build = |functions: &[(&str, &str, u32, &str)]| {
        let mut builder = CensusBuilder::new(Visibility::DebugInfo);
        let producer = builder.producer(Producer::from_text("GNU C17 12.2.0", 1));
        let mut ids: Vec<(&str, FunctionId)> = Vec::new();
        for ((name, file, hash, _), addr) in functions.iter().zip((0x1000..).step_by(0x100)) {
            let (text, file) = (builder.text(name), builder.text(file));
            let facts =
                FunctionFacts { file: Some(file), producer: Some(producer), ..FunctionFacts::named(text) };
            let id = builder.function(facts);
            builder.body(id, Body { hash: Some(BodyHash(*hash)), ..Body::at(ObjectAddr(addr), 0x80) });
            ids.push((name, id));
        }
        let id_of = |name: &str| ids.iter().find(|(of, _)| *of == name).map(|(_, id)| *id);
        for (name, _, _, callee) in functions {
            if let Some((caller, callee)) = id_of(name).zip(id_of(callee)) {
                let source = EdgeSource::Disassembly;
                builder.edge(CallEdge { caller, callee, calls: 1, tail_jumps: 0, source });
            }
        }
        builder.finish()
    };
    let check = |before: &[(&str, &str, u32, &str)], after: &[(&str, &str, u32, &str)], expected: &[&str]| {
        assert_eq!(pairs_of(&build(before), &build(after), ""), expected);
    };
    let common = ("common", "a.c", 1, "");
    check(
        &[common, ("fetch", "a.c", 2, "common")],
        &[common, ("look_page", "a.c", 2, "common")],
        &["common@a.c > common@a.c (qualified)", "fetch@a.c > look_page@a.c (code)"],
    );
    // What it calls has another name, too.
    check(
        &[("fetch", "a.c", 2, "load"), ("load", "a.c", 3, "")],
        &[("look_page", "a.c", 2, "bring"), ("bring", "a.c", 3, "")],
        &["fetch@a.c > look_page@a.c (code)", "load@a.c > bring@a.c (code)"],
    );
    let alone = &["common@a.c > common@a.c (qualified)"][..];
    let fetch = [common, ("fetch", "a.c", 2, "common")];
    // In another file, with other code, with other calls, or one of two.
    check(&fetch, &[common, ("look_page", "b.c", 2, "common")], alone);
    check(&fetch, &[common, ("look_page", "a.c", 4, "common")], alone);
    check(&fetch, &[common, ("look_page", "a.c", 2, "")], alone);
    check(&fetch, &[common, ("look_page", "a.c", 2, "common"), ("bring", "a.c", 2, "common")], alone);
}
