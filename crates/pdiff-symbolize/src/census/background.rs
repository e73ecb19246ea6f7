//! Library functions that nobody asks for by name. Those that have no code and are only inlined are left out of a census
//! before they are described; the others are in it with their linkage names, which are not demangled.
//!
//! They are more than half of the functions of a large C++ program, and most of the text of its names; a comparison of
//! samples asks for few of them. 8.0.33 has 175,000 functions, of which 77,000 are left out, with 48 of 62 MB of names and
//! 1.5 of 2.1 million instances; of 98,000 others 10,000 are such, with 3.3 of 7.6 MB of names.
//!
//! Whether a function has code is told by the symbol table. What has code in a unit, or is called there, the unit keeps.

use std::hash::BuildHasher as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rustc_hash::{FxBuildHasher, FxHashSet};

use super::asked::{AskedNames, is_library};
use super::symbols::{Symbol, Symbols};
use super::variants::around_digit;
use crate::binary::strings::{RawText, Strings};
use crate::binary::symbol_name::NAMES_IN_MEMORY;

/// How many answers are remembered.
const REMEMBERED: usize = 1 << 18;

/// The library functions of a file that nobody asks for.
pub(super) struct Background<'s> {
    asked: &'s AskedNames,
    /// Symbols of library functions.
    symbols: FxHashSet<&'s str>,
    /// The same around the digit that distinguishes constructors: code may have another one's symbol.
    variants: FxHashSet<(&'s str, &'s str)>,
    /// Answers by the offset of a name in the table of strings, each in the place that its hash gives: twice the offset, plus
    /// one where the function is left out, plus two.
    remembered: Box<[AtomicU64]>,
    has_some: AtomicBool,
}

impl<'s> Background<'s> {
    /// `give_back` is called now and then, to give back the memory of the names that were read.
    pub(super) fn new(asked: &'s AskedNames, symbols: &'s Symbols<'_>, give_back: impl Fn()) -> Self {
        let (mut of_library, mut variants) = (FxHashSet::default(), FxHashSet::default());
        for part in symbols.functions.chunks(NAMES_IN_MEMORY as usize) {
            for symbol in part.iter().map(Symbol::base).filter(|symbol| is_library(symbol)) {
                of_library.insert(symbol);
                variants.extend(around_digit(symbol));
            }
            give_back();
        }
        let symbols = of_library;
        let remembered = (0..REMEMBERED).map(|_| AtomicU64::new(0)).collect();
        Self { asked, symbols, variants, remembered, has_some: AtomicBool::new(false) }
    }

    /// The same where no function is left out: [`Self::contains`] must not be asked then.
    pub(super) fn of_names(asked: &'s AskedNames) -> Self {
        let (symbols, variants) = (FxHashSet::default(), FxHashSet::default());
        Self { asked, symbols, variants, remembered: Box::default(), has_some: AtomicBool::new(false) }
    }

    /// Whether the function of a symbol is one of them.
    pub(super) fn has_symbol(&self, symbol: &str) -> bool {
        let is_one = is_library(symbol) && !self.asked.asks_for(symbol);
        if is_one {
            self.has_some.store(true, Ordering::Relaxed);
        }
        is_one
    }

    /// Whether it was said of any function that it is one.
    pub(super) fn has_some(&self) -> bool {
        self.has_some.load(Ordering::Relaxed)
    }

    /// Whether the function of a linkage name, and of a name without scope where one is known, is left out.
    pub(super) fn contains(
        &self,
        strings: &Strings<'_>,
        linkage_name: RawText<'_>,
        name: RawText<'_>,
    ) -> bool {
        let RawText::InTable(offset) = linkage_name else {
            return self.decide(strings.get(linkage_name), strings.get(name));
        };
        let slot = self.remembered.get(FxBuildHasher.hash_one(offset) as usize >> 32 & (REMEMBERED - 1));
        let code = 2 * offset as u64 + 2;
        if let Some(known) = slot.map(|slot| slot.load(Ordering::Relaxed))
            && known & !1 == code
        {
            return known & 1 == 1;
        }
        let is_left_out = self.decide(strings.get(linkage_name), strings.get(name));
        if let Some(slot) = slot {
            slot.store(code + u64::from(is_left_out), Ordering::Relaxed);
        }
        is_left_out
    }

    fn decide(&self, symbol: &str, name: &str) -> bool {
        let is_asked = || self.asked.asks_for_called(symbol, name);
        let is_left_out = is_library(symbol)
            && !self.symbols.contains(symbol)
            && !around_digit(symbol).is_some_and(|around| self.variants.contains(&around))
            && !is_asked();
        if is_left_out {
            self.has_some.store(true, Ordering::Relaxed);
        }
        is_left_out
    }
}
