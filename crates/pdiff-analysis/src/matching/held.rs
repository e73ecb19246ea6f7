//! A build's functions for a name.

use pdiff_profile::census::{Census, Function, FunctionId, Linkage};

/// The functions of a name that a build holds in some form.
pub(crate) fn held(census: &Census, name: &str) -> Vec<FunctionId> {
    let is_held = |f: &Function<'_>| f.is_present() && f.linkage() != Linkage::Imported;
    let mut ids: Vec<FunctionId> = census.find(name).filter(is_held).map(Function::target).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}
