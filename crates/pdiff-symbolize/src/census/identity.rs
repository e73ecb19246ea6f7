//! Which names mean one function.
//!
//! Linkage names and symbols are collected, each text once, demangled in parallel and given an [`Identity`]: equal for
//! equal signatures, so that the constructor variants C1, C2 and C4 are one function. Clone suffixes and versions are
//! off before.
//!
//! MySQL 8.0.33 has 183 thousand different symbols and linkage names of 146 bytes on average, printed 103 MB. Demangling
//! them is about a quarter of the time of a census, on all cores; variants of others, up to 17 thousand, are not demangled.

use pdiff_profile::names::{FunctionName, demangle, is_rust};
use rayon::prelude::*;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::binary::content_hash::ContentHash;
use crate::binary::strings::{RawText, Strings};

use super::background::Background;
use super::symbols::{Symbol, Symbols};
use super::unit::{UnitFacts, Units};
use super::variants::{self, Variants, around_digit};

/// A collected name, an index.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct NameId(u32);

impl NameId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What is equal for names of one signature.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Identity(u64);

impl Identity {
    /// Equal for symbols that differ in the variant of a constructor.
    fn of_symbol(symbol: &str) -> Self {
        let (before, after) = around_digit(symbol).unwrap_or((symbol, ""));
        let mut hash = ContentHash::new();
        [before, after].into_iter().for_each(|part| hash.bytes(part.as_bytes()));
        Self(hash.finish())
    }
}

/// One name, taken apart.
#[derive(Debug)]
pub(super) struct Name {
    pub(super) qualified: Box<str>,
    /// Whether only the symbol is known, so that the qualified name is empty.
    pub(super) is_mangled: bool,
    /// Whether qualified name and parameters are what demangling the symbol gives.
    pub(super) is_demangled: bool,
    /// What follows it in the signature.
    pub(super) parameters: Option<Box<str>>,
    /// The symbol without suffix and version; `None` for names that debug information spelled out.
    pub(super) linkage: Option<Box<str>>,
    pub(super) identity: Identity,
}

impl Name {
    /// The name of a symbol or a linkage name.
    pub(super) fn of_symbol(symbol: &str) -> Self {
        if !symbol.contains('@')
            && let Some(name) = demangle(symbol)
        {
            let name = Self::of(name.qualified.into(), Some(&name.signature), Some(symbol));
            // Of a very long name the parameters are not printed: overloads differ in the symbol alone.
            let is_plain = ["_ZN", "_ZSt"].iter().any(|start| symbol.starts_with(start)) && !is_rust(symbol);
            let lacks_parameters = is_plain && name.parameters.is_none();
            let identity = if lacks_parameters { Identity::of_symbol(symbol) } else { name.identity };
            return Self { is_demangled: true, identity, ..name };
        }
        let name = FunctionName::with_linkage(symbol, Some(symbol));
        Self::of(name.qualified().into(), name.signature(), Some(name.linkage().unwrap_or(symbol)))
    }

    /// The name of a symbol that nobody asks for by another name. Equal are those that differ in the variant of a constructor.
    fn mangled(symbol: &str) -> Self {
        Self {
            qualified: Box::default(),
            is_mangled: true,
            is_demangled: false,
            parameters: None,
            linkage: Some(symbol.into()),
            identity: Identity::of_symbol(symbol),
        }
    }

    /// This name, of another symbol.
    fn of_variant(&self, symbol: &str) -> Self {
        Self {
            is_mangled: false,
            is_demangled: self.is_demangled,
            qualified: self.qualified.clone(),
            parameters: self.parameters.clone(),
            linkage: Some(symbol.into()),
            identity: self.identity,
        }
    }

    /// A qualified name from debug information.
    pub(super) fn of_qualified(qualified: &str) -> Self {
        let name = FunctionName::parse(qualified);
        Self::of(name.qualified().into(), name.signature(), None)
    }

    fn of(qualified: Box<str>, signature: Option<&str>, linkage: Option<&str>) -> Self {
        let signature = signature.unwrap_or(&qualified);
        let parameters = signature.strip_prefix(&*qualified).filter(|rest| !rest.is_empty());
        let mut hash = ContentHash::new();
        hash.bytes(signature.as_bytes());
        let identity = Identity(hash.finish());
        let parameters = parameters.map(Box::from);
        let linkage = linkage.map(Box::from);
        Self { qualified, is_mangled: false, is_demangled: false, parameters, linkage, identity }
    }
}

/// All names of a file.
pub(super) struct Names<'b> {
    background: Option<&'b Background<'b>>,
    names: Vec<Name>,
    /// By symbol, in the order of the table.
    of_symbols: Vec<NameId>,
    /// By unit and function; functions without linkage name have none.
    of_units: Vec<Vec<Option<NameId>>>,
}

impl<'b> Names<'b> {
    /// Collects the names of symbols and units, and demangles them, except for those of the background.
    pub(super) fn collect<'n>(
        units: &'n Units,
        symbols: &'n Symbols<'_>,
        strings: Strings<'n>,
        background: Option<&'b Background<'b>>,
    ) -> Self {
        let bases = symbols.functions.iter().map(Symbol::base);
        // Debug information has about as many names again.
        let mut texts = Texts::with_capacity(2 * bases.len());
        let of_symbols = bases.map(|base| texts.id(base)).collect();
        let of_table = texts.texts.clone();
        let mut demangled = Demangled { background, names: Vec::new(), variants: Variants::default() };
        // Collecting keeps one core busy; the others demangle the names of symbols meanwhile.
        let ((), of_units) = rayon::join(|| demangled.extend(&of_table), || texts.of_units(units, strings));
        demangled.extend(&texts.texts);
        Self { background, names: demangled.names, of_symbols, of_units }
    }

    /// The name of a symbol.
    pub(super) fn spell(&self, symbol: &str) -> Name {
        spell(symbol, self.background)
    }

    /// Adds a name that debug information spelled out.
    pub(super) fn push(&mut self, name: Name) -> NameId {
        let id = NameId(u32::try_from(self.names.len()).expect("fewer names than bytes of the file"));
        self.names.push(name);
        id
    }

    /// All names, by id.
    pub(super) fn into_names(self) -> Vec<Name> {
        self.names
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// What a name is equal to; an id of other names is equal to nothing.
    pub(super) fn identity(&self, id: NameId) -> Identity {
        self.names.get(id.index()).map_or(Identity(0), |name| name.identity)
    }

    /// The name of a symbol, by its place in the table.
    pub(super) fn of_symbol(&self, symbol: usize) -> Option<NameId> {
        self.of_symbols.get(symbol).copied()
    }

    /// The linkage name of a function of a unit.
    pub(super) fn of_unit(&self, unit: usize, function: usize) -> Option<NameId> {
        self.of_units.get(unit)?.get(function).copied().flatten()
    }
}

/// The names of the symbols of a list that grows, in their order.
struct Demangled<'n, 'b> {
    background: Option<&'b Background<'b>>,
    names: Vec<Name>,
    variants: Variants<'n>,
}

/// The name of a symbol, demangled where it is not one of the background.
fn spell(symbol: &str, background: Option<&Background<'_>>) -> Name {
    match background {
        Some(background) if background.has_symbol(symbol) => Name::mangled(symbol),
        _ => Name::of_symbol(symbol),
    }
}

impl<'n> Demangled<'n, '_> {
    /// Adds the names of what came to the list.
    fn extend(&mut self, symbols: &[&'n str]) {
        let start = self.names.len();
        let (background, new) = (self.background, symbols.get(start..).unwrap_or(&[]));
        let firsts = self.variants.firsts(start, new);
        // In small pieces, so that no core has a large one left when the others are done.
        let all = new.par_iter().zip(&firsts).enumerate().with_max_len(512);
        let first = |(place, (symbol, first)): (usize, (&&str, &usize))| {
            (*first == start + place).then(|| spell(symbol, background))
        };
        let mut names: Vec<Option<Name>> = all.map(first).collect();
        let variants =
            new.par_iter().zip(&firsts).enumerate().filter(|(place, (_, first))| start + place != **first);
        let variant = |(place, (symbol, first)): (usize, (&&str, &usize))| {
            let name = match first.checked_sub(start) {
                Some(first) => names.get(first).and_then(Option::as_ref),
                None => self.names.get(*first),
            };
            let known = symbols.get(*first).zip(name);
            let known = known
                .filter(|(first, name)| !name.is_mangled && variants::has_variants(first, &name.qualified));
            (place, known.map_or_else(|| spell(symbol, background), |(_, name)| name.of_variant(symbol)))
        };
        let found: Vec<(usize, Name)> = variants.map(variant).collect();
        for (place, name) in found {
            if let Some(slot) = names.get_mut(place) {
                *slot = Some(name);
            }
        }
        self.names.extend(names.into_iter().flatten());
    }
}

/// Different texts.
struct Texts<'n> {
    texts: Vec<&'n str>,
    by_text: FxHashMap<&'n str, NameId>,
    /// By place in a table of strings; `None` for those without text.
    by_place: FxHashMap<RawText<'n>, Option<NameId>>,
}

impl<'n> Texts<'n> {
    fn with_capacity(texts: usize) -> Self {
        Self {
            texts: Vec::with_capacity(texts),
            by_text: FxHashMap::with_capacity_and_hasher(texts, FxBuildHasher),
            by_place: FxHashMap::with_capacity_and_hasher(texts, FxBuildHasher),
        }
    }

    fn id(&mut self, text: &'n str) -> NameId {
        let next = NameId(u32::try_from(self.texts.len()).expect("fewer names than bytes of the file"));
        let id = *self.by_text.entry(text).or_insert(next);
        if id == next {
            self.texts.push(text);
        }
        id
    }

    /// The names of the functions of each unit.
    fn of_units(&mut self, units: &'n Units, strings: Strings<'n>) -> Vec<Vec<Option<NameId>>> {
        let of_unit = |unit: &'n UnitFacts| {
            let linkage_names = unit.functions.iter().map(|function| units.told(unit, function).linkage_name);
            linkage_names.map(|name| self.id_of_raw(&strings, name)).collect()
        };
        units.units.iter().map(of_unit).collect()
    }

    fn id_of_raw(&mut self, strings: &Strings<'n>, text: RawText<'n>) -> Option<NameId> {
        if !matches!(text, RawText::InTable(_) | RawText::InShared(_)) {
            return self.id_of_text(strings.get(text));
        }
        if let Some(id) = self.by_place.get(&text) {
            return *id;
        }
        let id = self.id_of_text(strings.get(text));
        self.by_place.insert(text, id);
        id
    }

    fn id_of_text(&mut self, text: &'n str) -> Option<NameId> {
        (!text.is_empty()).then(|| self.id(text))
    }
}
