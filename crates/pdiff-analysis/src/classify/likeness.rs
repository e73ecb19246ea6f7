//! How similar the contents of two functions of two builds are: by name, by callees, and by size.

use std::ops::Range;

use pdiff_profile::census::{Census, Function, FunctionId};

use crate::matching::beside_scope;

/// A common part of two names tells something if it is so long ...
const LEAST_LETTERS: usize = 4;

/// ... and is in no more than this part of the program's sampled names: prefixes of a program are in most.
const RARE_PART: f64 = 0.02;

/// So many names are few in any program.
const MOST_FEW: f64 = 8.0;

/// This part of the functions called must be common, and at least so many.
const COMMON_CALLEES: f64 = 0.4;
const LEAST_CALLEES: usize = 2;

/// The length of the longest common part of two names over that of the longer one, both without a scope or a trait that they share.
pub(super) fn name_likeness(a: &str, b: &str) -> f64 {
    let (a, b) = beside_common(a, b);
    likeness(a, b)
}

/// Whether the likeness of two names is at least `least`. Letters are compared only if the lengths allow it.
pub(super) fn are_named_alike(a: &str, b: &str, least: f64) -> bool {
    let (a, b) = beside_common(a, b);
    let (shorter, longer) = (a.len().min(b.len()), a.len().max(b.len()));
    shorter as f64 >= least * longer as f64 && likeness(a, b) >= least
}

/// Two names without what they share by their place: of methods of one trait that two types implement, the types are left, for the
/// trait chose the rest of the names.
fn beside_common<'n>(a: &'n str, b: &'n str) -> (&'n str, &'n str) {
    match (of_trait(a), of_trait(b)) {
        (Some((a, method)), Some((b, other))) if method == other => beside_scope(a, b),
        _ => beside_scope(a, b),
    }
}

/// The type of a method of a trait in Rust, and the trait with the method: `a::T` of `<a::T as b::U>::f`.
fn of_trait(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix('<')?.rsplit_once(" as ")
}

/// Programs write the same words in small letters and in capitals.
fn likeness(a: &str, b: &str) -> f64 {
    let longest = a.len().max(b.len());
    let common = longest_common(a, b, |a, b| a.eq_ignore_ascii_case(&b)).len();
    if longest == 0 { 0.0 } else { common as f64 / longest as f64 }
}

/// Whether two functions have something in common: a part of their names that is rare among `names`, or most of what they
/// call.
pub(super) fn shares_content(
    (census, function): (&Census, FunctionId),
    (other, in_other): (&Census, FunctionId),
    names: &[&str],
) -> bool {
    let own = [census.function(function), other.function(in_other)].map(|of| of.map(Function::name));
    let [Some(a), Some(b)] = own else { return false };
    shares_rare_part(names, a, b) || shares_callees(&callees(census, function), &callees(other, in_other))
}

fn shares_rare_part(names: &[&str], a: &str, b: &str) -> bool {
    let (a, b) = beside_scope(a, b);
    let is_rare = |common: &str| {
        let count = names.iter().filter(|name| name.contains(common)).count();
        count as f64 <= (RARE_PART * names.len() as f64).max(MOST_FEW)
    };
    let is_telling = |a: &str, b: &str| {
        let common = common_part(a, b);
        let is_whole = common.len() == a.len().min(b.len());
        common.len() >= LEAST_LETTERS && (is_whole || common.len() > LEAST_LETTERS) && is_rare(common)
    };
    // What begins all names of a part of the program hides what is common behind it.
    let prefix = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let rest = |name| str::get(name, prefix..).unwrap_or("");
    is_telling(a, b) || is_telling(rest(a), rest(b))
}

fn shares_callees(a: &[&str], b: &[&str]) -> bool {
    let common = a.iter().filter(|name| b.contains(name)).count();
    let all = a.len() + b.len() - common;
    common >= LEAST_CALLEES && common as f64 >= COMMON_CALLEES * all as f64
}

/// The names of what a function calls, each once.
fn callees(census: &Census, function: FunctionId) -> Vec<&str> {
    let called = census.calls_from(function).iter().map(|edge| edge.callee);
    let mut names: Vec<&str> = called.filter_map(|id| Some(census.function(id)?.name())).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The longest common part of two names.
fn common_part<'n>(a: &'n str, b: &str) -> &'n str {
    let common = longest_common(a, b, |a, b| a == b);
    a.get(common).unwrap_or("")
}

/// Where the longest part that two names have in common is in the first.
fn longest_common(a: &str, b: &str, is_same: impl Fn(u8, u8) -> bool) -> Range<usize> {
    let (mut best, mut end) = (0, 0);
    // By letter of the second name: how long the common part is that ends with it.
    let mut row = vec![0_usize; b.len()];
    for (at, letter) in a.bytes().enumerate() {
        let mut diagonal = 0;
        for (length, other) in row.iter_mut().zip(b.bytes()) {
            let above = std::mem::replace(length, if is_same(letter, other) { diagonal + 1 } else { 0 });
            if *length > best {
                (best, end) = (*length, at + 1);
            }
            diagonal = above;
        }
    }
    end - best..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_common_part_is_found() {
        assert_eq!(common_part("handleDeferredMoveto", "sqlite3VdbeFinishMoveto"), "Moveto");
        assert_eq!(common_part("pack", "tpack"), "pack");
        assert_eq!(common_part("", "x"), "");
        let names = ["lib_tree_x"; 400];
        assert!(!shares_rare_part(&names, "lib_tree_q", "lib_tree_r"));
        assert!(shares_rare_part(&names, "lib_tree_moveto_all", "lib_tree_index_moveto"));
        assert!(name_likeness("index2addr", "index2value") > 0.5);
        assert!(name_likeness("probe_cache", "check_policy") < 0.3);
        assert!(name_likeness("RAND_DRBG_generate", "ossl_prov_drbg_generate") > 0.5);
        // A scope that both have does not count as similarity.
        assert!(name_likeness("kv::stats::Tracer::trace", "kv::stats::Audit::record") < 0.3);
        assert!(!shares_rare_part(&[], "kv::stats::Tracer::trace", "kv::stats::Audit::record"));
        // Nor does the trait, with its method, that two types implement.
        let next = |of: &str| format!("<{of} as core::iter::traits::iterator::Iterator>::next");
        assert!(name_likeness(&next("toml::lexer::Lexer"), &next("&mut I")) < 0.3);
        assert!(name_likeness(&next("toml::lexer::Lexer"), &next("toml::lexer::Lexer2")) > 0.5);
        assert!(shares_rare_part(&[], "kv::net::Reply::render", "kv::net::Reply::renderBody"));
    }
}
