//! The functions of one side's build, as keys of the comparison and as functions of the census.

use pdiff_profile::Side;
use pdiff_profile::census::{Census, Function, FunctionId, Linkage};
use rustc_hash::FxHashMap;

use crate::c_library::{exported, is_c_library};
use crate::findings::is_kernel_object;
use crate::matching::{file_likeness, held};
use crate::normalize::{KeyId, Keys};

/// The end of the names of stubs that lead to other objects.
const PLT_MARK: &str = "@plt";

/// Names under which C libraries offer the same code.
const ONE_CODE: [&[&str]; 2] = [&["memmove", "memcpy", "mempcpy"], &["free", "cfree"]];

/// Functions of the C library, and those of the language's library that call them: neither has a frame, so that stacks may lose both.
const CALLED_BY: [(&str, [&str; 2]); 2] =
    [("malloc", ["operator new", "operator new[]"]), ("free", ["operator delete", "operator delete[]"])];

/// The functions of one side's build of the program, by key.
pub(super) struct BuildFunctions<'a> {
    keys: &'a Keys,
    pub(super) census: &'a Census,
    /// What rows call the program.
    label: &'a str,
    side: Side,
    /// The program's keys, by name.
    by_name: FxHashMap<&'a str, Vec<KeyId>>,
    known: FxHashMap<KeyId, Box<[FunctionId]>>,
}

impl<'a> BuildFunctions<'a> {
    pub(super) fn new(keys: &'a Keys, (label, census): (&'a str, &'a Census), side: Side) -> Self {
        let mut by_name: FxHashMap<&str, Vec<KeyId>> = FxHashMap::default();
        for (id, key) in keys.iter().filter(|(_, key)| &*key.object == label && !key.is_nameless()) {
            by_name.entry(&*key.name).or_default().push(id);
        }
        Self { keys, census, label, side, by_name, known: FxHashMap::default() }
    }

    /// The functions that a key represents; none where it is not the program's.
    pub(super) fn of_key(&mut self, key: KeyId) -> &[FunctionId] {
        let (keys, census, side, label) = (self.keys, self.census, self.side, self.label);
        self.known.entry(key).or_insert_with(|| {
            let of = keys.get(key);
            if &*of.object != label || of.is_nameless() {
                return Box::default();
            }
            let mut ids = held(census, &of.name);
            if let Some(file) = of.files[side].as_deref().filter(|_| of.is_by_file) {
                let of_file = |id: &FunctionId| census.function(*id).and_then(Function::file);
                ids.retain(|id| file_likeness(of_file(id), Some(file)) > 0);
            }
            ids.into()
        })
    }

    /// The stubs by which the program calls a function of another object, or a stub itself.
    pub(super) fn stubs_of(&self, key: KeyId) -> Vec<FunctionId> {
        let of = self.keys.get(key);
        let is_stub = |function: &Function<'_>| function.linkage() == Linkage::Imported;
        if &*of.object == self.label {
            let own = self.census.find(&of.name).filter(|_| of.name.ends_with(PLT_MARK));
            return own.filter(is_stub).map(Function::target).collect();
        }
        if of.is_nameless() || is_kernel_object(&of.object) {
            return Vec::new();
        }
        let others = ONE_CODE.iter().filter(|names| names.contains(&&*of.name)).flat_map(|names| *names);
        let names = std::iter::once(&*of.name).chain(others.copied().filter(|name| *name != &*of.name));
        let names = names.chain(exported(&of.name).filter(|_| is_c_library(&of.object)));
        let mut names: Vec<&str> = names.collect();
        let wrappers = CALLED_BY.iter().filter(|(name, _)| names.contains(name));
        let wrappers: Vec<&str> = wrappers.flat_map(|(_, by)| *by).collect();
        names.extend(wrappers);
        let stubs =
            names.iter().flat_map(|name| self.census.find(&format!("{name}{PLT_MARK}")).collect::<Vec<_>>());
        stubs.filter(is_stub).map(Function::target).collect()
    }

    /// The key of a function, where it has samples somewhere. It may have another one without a file: of addresses that only its symbol
    /// tells of.
    pub(super) fn key_of(&mut self, id: FunctionId) -> Option<KeyId> {
        let name = self.census.function(id)?.name();
        let keys = self.by_name.get(name).cloned().unwrap_or_default();
        let found: Vec<KeyId> = keys.into_iter().filter(|key| self.of_key(*key).contains(&id)).collect();
        let in_file = |key: &KeyId| self.keys.get(*key).files[self.side].is_some();
        let with_file: Vec<KeyId> = found.iter().copied().filter(in_file).collect();
        match (&*found, &*with_file) {
            ([only], _) | (_, [only]) => Some(*only),
            _ => None,
        }
    }
}
