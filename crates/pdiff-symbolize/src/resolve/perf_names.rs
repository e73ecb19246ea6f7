//! The functions that perf would name at addresses of one file, kept between runs: to read a symbol table of a hundred thousand
//! functions takes longer than all else that a known recording needs.
//!
//! ```text
//! format    byte            FORMAT
//! symbols   count, of each  entry: difference to the one before; name: text
//! addresses count, of each  address: difference to the one before; symbol: its number + 1, or 0 if there is none
//! ```

use pdiff_profile::Notes;
use pdiff_profile::codec::{ByteReader, ByteWriter};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::binary::function_name::display_name;
use crate::binary::object_files::ObjectFiles;
use crate::binary::symbol_table::Symbol;
use crate::cache::{CacheFile, Damage, SectionTag};
use crate::options::SymbolizeOptions;

/// Changes with the layout, with what perf is said to choose, and with how names are spelled: kept names are not made again.
const FORMAT: u8 = 1;

/// The names of the functions at addresses.
#[derive(Debug, Default)]
pub(super) struct PerfNames {
    /// Where each function begins, and its name.
    symbols: Vec<(u64, Box<str>)>,
    /// Sorted addresses, each with the place of its function.
    addrs: Vec<(u64, Option<usize>)>,
}

impl PerfNames {
    /// The functions at `sorted` addresses of a file: from its cache file, else from the symbol tables.
    pub(super) fn at(
        files: &ObjectFiles,
        sorted: &[u64],
        options: &SymbolizeOptions,
        notes: &mut Notes,
    ) -> Self {
        let cache = options.cache_dir.as_deref();
        let cache = cache.map(|directory| CacheFile::of(directory, &files.file.object_id()));
        let load = |cache: &CacheFile| {
            let section = cache.load(SectionTag::PerfNames, files.fingerprint())?;
            Ok(section.and_then(|section| Self::parse(section.content())).unwrap_or_default())
        };
        let known: Result<Self, Damage> = cache.as_ref().map_or_else(|| Ok(Self::default()), load);
        let mut known = known.unwrap_or_else(|damage| {
            cache.iter().for_each(|cache| cache.note(damage, notes));
            Self::default()
        });
        let unknown: Vec<u64> = known.unknown(sorted);
        if unknown.is_empty() {
            return known;
        }
        known.read(files, &unknown);
        if let Some(cache) = &cache {
            // Recordings are read at once: another one of the same file may have kept its names meanwhile.
            let kept = load(cache).unwrap_or_default();
            let all = known.with(kept);
            if let Err(error) = cache.store(SectionTag::PerfNames, files.fingerprint(), &all.to_bytes()) {
                cache.note(format_args!("not kept: {error}"), notes);
            }
            return all;
        }
        known
    }

    /// The function at an address: its place, and how far into it the address is.
    pub(super) fn find(&self, addr: u64) -> Option<(usize, u64)> {
        let symbol = self.addrs.get(self.place(addr)?)?.1?;
        Some((symbol, addr.wrapping_sub(self.symbols.get(symbol)?.0)))
    }

    /// The names of the functions, by place.
    pub(super) fn into_names(self) -> impl Iterator<Item = Box<str>> {
        self.symbols.into_iter().map(|(_, name)| name)
    }

    /// Those of `sorted` addresses that are not known.
    fn unknown(&self, sorted: &[u64]) -> Vec<u64> {
        sorted.iter().copied().filter(|addr| self.place(*addr).is_none()).collect()
    }

    fn place(&self, addr: u64) -> Option<usize> {
        self.addrs.binary_search_by_key(&addr, |(known, _)| *known).ok()
    }

    /// Adds what symbol tables say of `sorted` addresses.
    fn read(&mut self, files: &ObjectFiles, sorted: &[u64]) {
        let table = files.symbols_as_perf(sorted);
        let found: Vec<Option<&Symbol>> = sorted.iter().map(|addr| table.find(*addr)).collect();
        let mut hit: Vec<&Symbol> = found.iter().copied().flatten().collect();
        hit.dedup_by_key(|symbol| symbol.start);
        // A name takes longer to spell than anything else here.
        let named: Vec<(u64, Box<str>)> =
            hit.par_iter().map(|symbol| (symbol.entry, display_name(&symbol.name()))).collect();
        let by_start: FxHashMap<u64, usize> = hit.iter().map(|symbol| symbol.start).zip(0..).collect();
        let symbol_at = |symbol: Option<&Symbol>| by_start.get(&symbol?.start).copied();
        let addrs = sorted.iter().copied().zip(found.into_iter().map(symbol_at)).collect();
        *self = std::mem::take(self).with(Self { symbols: named, addrs });
    }

    /// These names, and what others add.
    fn with(mut self, others: Self) -> Self {
        let mut places: FxHashMap<(u64, Box<str>), usize> = self.symbols.iter().cloned().zip(0..).collect();
        let added =
            others.addrs.into_iter().filter(|(addr, _)| self.place(*addr).is_none()).collect::<Vec<_>>();
        for (addr, symbol) in added {
            let symbol = symbol.and_then(|symbol| others.symbols.get(symbol)).map(|symbol| {
                *places.entry(symbol.clone()).or_insert_with(|| {
                    self.symbols.push(symbol.clone());
                    self.symbols.len() - 1
                })
            });
            self.addrs.push((addr, symbol));
        }
        self.addrs.sort_unstable();
        self
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut writer = ByteWriter::new();
        writer.byte(FORMAT);
        writer.count(self.symbols.len());
        let mut last = 0;
        for (entry, name) in &self.symbols {
            writer.difference(last, *entry);
            writer.text(name);
            last = *entry;
        }
        writer.count(self.addrs.len());
        last = 0;
        for (addr, symbol) in &self.addrs {
            writer.difference(last, *addr);
            writer.count(symbol.map_or(0, |symbol| symbol + 1));
            last = *addr;
        }
        writer.into_bytes()
    }

    /// `None` if the bytes are of another format, or damaged.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut reader = ByteReader::new(bytes);
        if reader.byte()? != FORMAT {
            return None;
        }
        let mut last = 0;
        let symbols: Option<Vec<(u64, Box<str>)>> = (0..reader.count(2)?)
            .map(|_| {
                last = reader.difference(last)?;
                Some((last, reader.text()?.into()))
            })
            .collect();
        let symbols = symbols?;
        last = 0;
        let addrs: Option<Vec<(u64, Option<usize>)>> = (0..reader.count(2)?)
            .map(|_| {
                last = reader.difference(last)?;
                let symbol = usize::try_from(reader.number()?).ok()?.checked_sub(1);
                symbol.is_none_or(|symbol| symbol < symbols.len()).then_some((last, symbol))
            })
            .collect();
        let addrs = addrs?;
        (reader.is_empty() && addrs.is_sorted_by(|a, b| a.0 < b.0)).then_some(Self { symbols, addrs })
    }
}

#[cfg(test)]
mod tests {
    use pdiff_profile::NoteKind;

    use super::*;
    use crate::binary::elf_file::ElfFile;

    fn own_files() -> ObjectFiles {
        let file = ElfFile::open(&std::env::current_exe().unwrap()).unwrap();
        ObjectFiles::find(file, &SymbolizeOptions::new())
    }

    /// Addresses in functions, some of them several in one, and one in none.
    fn some_addrs(files: &ObjectFiles) -> Vec<u64> {
        let symbols = files.symbols().symbols();
        let some = symbols.iter().step_by(1 + symbols.len() / 300);
        let mut addrs: Vec<u64> = some.flat_map(|symbol| [symbol.start, symbol.end - 1]).chain([3]).collect();
        addrs.sort_unstable();
        addrs.dedup();
        addrs
    }

    fn found(names: &PerfNames, addrs: &[u64]) -> Vec<Option<(String, u64)>> {
        let found = |addr: &u64| {
            let (place, offset) = names.find(*addr)?;
            Some((names.symbols[place].1.to_string(), offset))
        };
        addrs.iter().map(found).collect()
    }

    #[test]
    fn what_is_kept_is_what_the_symbol_tables_say() {
        let (files, directory) = (own_files(), tempfile::tempdir().unwrap());
        let addrs = some_addrs(&files);
        let options = |cache| SymbolizeOptions { cache_dir: cache, ..SymbolizeOptions::new() };
        let cached = options(Some(directory.path().to_path_buf()));
        let mut notes = Notes::new();
        let expected = found(&PerfNames::at(&files, &addrs, &options(None), &mut notes), &addrs);
        assert!(expected.iter().flatten().count() > 200 && expected.contains(&None));
        let table = files.symbols_as_perf(&addrs);
        for (addr, found) in addrs.iter().zip(&expected) {
            let told =
                table.find(*addr).map(|symbol| (display_name(&symbol.name()).into(), addr - symbol.entry));
            assert_eq!(*found, told, "{addr:x}");
        }
        // First a part of the addresses, then all: what is known is kept beside what is added.
        let (part, _) = addrs.split_at(addrs.len() / 2);
        for asked in [part, &addrs, &addrs, part] {
            let names = PerfNames::at(&files, asked, &cached, &mut notes);
            assert_eq!(found(&names, asked), expected[..asked.len()]);
        }
        let cache = CacheFile::of(directory.path(), &files.file.object_id());
        let kept = cache.load(SectionTag::PerfNames, files.fingerprint()).unwrap().unwrap();
        let kept = PerfNames::parse(kept.content()).unwrap();
        assert_eq!(found(&kept, &addrs), expected);
        let distinct: std::collections::BTreeSet<_> = kept.symbols.iter().collect();
        assert_eq!(distinct.len(), kept.symbols.len(), "each function is kept once");
        assert!(notes.is_empty());
        // What the cache has is not looked up again.
        let renamed = PerfNames { symbols: vec![(3, "kept".into())], addrs: vec![(3, Some(0))] };
        cache.store(SectionTag::PerfNames, files.fingerprint(), &renamed.to_bytes()).unwrap();
        let names = PerfNames::at(&files, &[3], &cached, &mut notes);
        assert_eq!(found(&names, &[3]), [Some(("kept".to_owned(), 0))]);
    }

    #[test]
    fn what_another_recording_kept_meanwhile_stays() {
        let names = |symbols: &[(u64, &str)], addrs: &[(u64, Option<usize>)]| PerfNames {
            symbols: symbols.iter().map(|(entry, name)| (*entry, (*name).into())).collect(),
            addrs: addrs.to_vec(),
        };
        let one = names(&[(8, "second"), (16, "third")], &[(9, Some(0)), (17, Some(1)), (40, None)]);
        let other =
            names(&[(16, "third"), (2, "first")], &[(3, Some(1)), (17, Some(0)), (18, Some(0)), (41, None)]);
        let both = PerfNames::parse(&one.with(other).to_bytes()).unwrap();
        let expected = [(3, Some("first")), (9, Some("second")), (17, Some("third")), (18, Some("third"))];
        for (addr, name) in expected.into_iter().chain([(40, None), (41, None)]) {
            assert_eq!(both.find(addr).map(|(place, _)| &*both.symbols[place].1), name, "{addr}");
            assert!(both.place(addr).is_some());
        }
        assert_eq!(both.symbols.len(), 3);
    }

    #[test]
    fn damage_is_noted_and_made_good() {
        let (files, directory) = (own_files(), tempfile::tempdir().unwrap());
        let addrs = some_addrs(&files);
        let options =
            SymbolizeOptions { cache_dir: Some(directory.path().to_path_buf()), ..SymbolizeOptions::new() };
        let mut notes = Notes::new();
        let expected = found(&PerfNames::at(&files, &addrs, &options, &mut notes), &addrs);
        let cache = CacheFile::of(directory.path(), &files.file.object_id());
        let mut bytes = std::fs::read(cache.path()).unwrap();
        *bytes.last_mut().unwrap() ^= 0x10;
        bytes[80] ^= 0x10;
        std::fs::write(cache.path(), bytes).unwrap();
        assert_eq!(found(&PerfNames::at(&files, &addrs, &options, &mut notes), &addrs), expected);
        assert_eq!(notes.get(NoteKind::CacheRebuilt).map(|note| note.count), Some(1));
        assert_eq!(found(&PerfNames::at(&files, &addrs, &options, &mut notes), &addrs), expected);
        assert_eq!(notes.get(NoteKind::CacheRebuilt).map(|note| note.count), Some(1));
    }

    #[test]
    fn bytes_that_were_not_written_so_are_refused() {
        let names = PerfNames {
            symbols: vec![(16, "first".into()), (8, "second".into())],
            addrs: vec![(9, Some(1)), (17, Some(0)), (40, None)],
        };
        let bytes = names.to_bytes();
        assert_eq!(PerfNames::parse(&bytes).map(|names| names.find(18)), Some(None));
        assert_eq!(PerfNames::parse(&bytes).unwrap().find(17), Some((0, 1)));
        for len in 0..bytes.len() {
            assert!(PerfNames::parse(&bytes[..len]).is_none(), "cut at {len}");
        }
        let check = |names: PerfNames| assert!(PerfNames::parse(&names.to_bytes()).is_none(), "{names:?}");
        check(PerfNames { addrs: vec![(9, Some(2))], symbols: names.symbols.clone() });
        check(PerfNames { addrs: vec![(9, None), (9, None)], symbols: Vec::new() });
        check(PerfNames { addrs: vec![(9, None), (3, None)], symbols: Vec::new() });
        let mut other = bytes.clone();
        other[0] = FORMAT + 1;
        assert!(PerfNames::parse(&other).is_none());
        assert!(PerfNames::parse(&[&bytes[..], &[0]].concat()).is_none());
    }
}
