//! Whether a file is the object profiled, and how perf's addresses become addresses of it.
//!
//! In: the frames of one object, and a file. The cheap way: a bias that the program headers make likely, borne out by
//! the functions that the index has at some of the frames; reading no symbol table. The full way: the vote. Frames of
//! chains and of single samples are judged apart, for perf prints them in different kinds of address.

use std::fmt;
use std::path::Path;

use pdiff_profile::{Frame, Object, ObjectAddr, Profile, RuntimeAddr};

use crate::binary::elf_file::ElfFile;
use crate::binary::function_name::names_agree;
use crate::error::Error;
use crate::resolve::address_map::{
    AddressKind, AddressMap, Ballot, Voter, Witness, choose_voters, kind_of, likely_biases, map_for, vote,
};
use crate::resolve::frames::{ObjectFrames, Uses};
use crate::resolve::name_vote::vote_by_name;
use crate::resolve::positions::Positions;
use crate::symbolizer::Symbolizer;

/// From so many voters on their disagreement counts.
const MIN_VOTERS: usize = 5;

/// What the frames say of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Identity {
    chained: Ballot,
    single: Ballot,
    contradicted: bool,
    /// Whether no part of the file is as long as what was mapped.
    has_other_size: bool,
    /// Whether names without offsets, all together, say where the file stands.
    is_named: bool,
}

/// Judges a file.
pub(crate) fn identify(profile: &Profile, frames: &ObjectFrames, symbolizer: &Symbolizer) -> Identity {
    let object = frames.frames.first().map(|(_, frame, _)| frame.object);
    if let Some(known) = object.and_then(|object| Positions::of(profile, object, symbolizer.file())) {
        let ballot = Ballot { maps: known.maps, ..Ballot::default() };
        let has_other_size = known.has_other_size;
        return Identity {
            chained: ballot.clone(),
            single: ballot,
            contradicted: has_other_size,
            has_other_size,
            is_named: false,
        };
    }
    let judge = |chained: bool| {
        let mine = || frames.frames.iter().filter(move |(_, _, uses)| uses.chained == chained);
        let voters = mine().filter_map(|(_, frame, _)| voter(profile, frame)).collect();
        let voters = choose_voters(voters);
        let mut ballot = match voters.is_empty() {
            true => Ballot::default(),
            false => quick_ballot(&voters, symbolizer)
                .unwrap_or_else(|| vote(&voters, symbolizer.file(), symbolizer.symbols())),
        };
        let mut is_named = false;
        if ballot.maps.is_empty() {
            let raw: Vec<&Frame> = mine().map(|(_, frame, _)| frame).collect();
            ballot.maps = maps_without_offsets(profile, &raw, symbolizer);
            is_named = ballot.maps.iter().any(|map| map.votes > 0);
        }
        let contradicted = is_contradicted(&ballot, &voters, symbolizer);
        (ballot, contradicted, is_named)
    };
    let ((chained, chained_wrong, chained_named), (single, single_wrong, single_named)) =
        (judge(true), judge(false));
    let contradicted = chained_wrong || single_wrong && chained.agree == 0;
    let is_named = chained_named || single_named;
    Identity { chained, single, contradicted, has_other_size: false, is_named }
}

impl Identity {
    /// Whether the file has the functions of the profile at other places.
    pub(crate) fn is_contradicted(&self) -> bool {
        self.contradicted
    }

    /// Whether the recording's own symbols say that the file is the one that ran: three of four that can be checked are where
    /// the file has them, and where there are few, all.
    pub(crate) fn is_borne_out(&self) -> bool {
        let agree = self.chained.agree + self.single.agree;
        let checked = self.chained.checked + self.single.checked;
        let is_enough = if agree >= MIN_VOTERS { agree * 4 >= checked * 3 } else { agree == checked };
        self.is_named || agree > 0 && is_enough
    }

    /// All maps.
    pub(crate) fn maps(&self) -> impl Iterator<Item = &AddressMap> {
        self.chained.maps.iter().chain(&self.single.maps)
    }

    /// What to say of a file that the user gave.
    pub(crate) fn wrong_symbols(&self, path: &Path, object: &Object) -> Error {
        if self.has_other_size {
            return Error::WrongSize { path: path.to_path_buf(), object: object.path.clone() };
        }
        Error::WrongSymbols {
            path: path.to_path_buf(),
            object: object.path.clone(),
            agree: self.chained.agree + self.single.agree,
            checked: self.chained.checked + self.single.checked,
        }
    }

    /// The file's address of a frame.
    pub(crate) fn object_addr(&self, frame: &Frame, uses: Uses) -> Option<ObjectAddr> {
        let (first, second) = match uses.chained {
            true => (&self.chained, &self.single),
            false => (&self.single, &self.chained),
        };
        let raw = frame.addr?.0;
        let is_voted = |ballot: &&Ballot| ballot.maps.iter().any(|map| map.votes > 0);
        let ballot = [first, second].into_iter().find(is_voted).unwrap_or(first);
        let map = map_for(&ballot.maps, raw)?;
        Some(ObjectAddr(raw.wrapping_add(map.bias)))
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.has_other_size {
            return f.write_str("none of its segments has the size of what was mapped");
        }
        let agree = self.chained.agree + self.single.agree;
        let checked = self.chained.checked + self.single.checked;
        write!(f, "of {checked} functions in the profile only {agree} are at the same place in the file")
    }
}

fn voter<'p>(profile: &'p Profile, frame: &Frame) -> Option<Voter<'p>> {
    if frame.inlined {
        return None;
    }
    let start = frame.addr?.0.checked_sub(frame.symbol_offset?)?;
    Some(Voter { start, symbol: profile.string(frame.symbol?) })
}

/// The ballot if a likely bias is borne out by every voter that the index knows, and it knows all.
fn quick_ballot(voters: &[Voter<'_>], symbolizer: &Symbolizer) -> Option<Ballot> {
    let (first, last) = (voters.first()?, voters.last()?);
    let is_borne_out = |bias: &u64| {
        let starts = voters.iter().map(|voter| voter.start.wrapping_add(*bias));
        let named = symbolizer.indexed_functions(starts);
        let agrees = |(voter, name): &(&Voter<'_>, Option<String>)| {
            name.as_ref().is_some_and(|name| names_agree(voter.symbol, name))
        };
        voters.iter().zip(named).filter(agrees).count() * 20 >= voters.len() * 19
    };
    let bias = likely_biases(symbolizer.file()).into_iter().find(is_borne_out)?;
    let kind = kind_of(symbolizer.file(), bias)?;
    let votes = u32::try_from(voters.len()).unwrap_or(u32::MAX);
    let map = AddressMap { kind, bias, votes, first: first.start, last: last.start };
    Some(Ballot { maps: vec![map], agree: voters.len(), checked: voters.len() })
}

/// Where no frame says how far into its function it is: what a mapping says, else what the names say, else the likely bias
/// that brings most frames into code.
fn maps_without_offsets(profile: &Profile, frames: &[&Frame], symbolizer: &Symbolizer) -> Vec<AddressMap> {
    let file = symbolizer.file();
    let addrs: Vec<u64> = frames.iter().filter_map(|frame| Some(frame.addr?.0)).collect();
    let (Some(first), Some(last)) = (addrs.iter().min(), addrs.iter().max()) else { return Vec::new() };
    let assumed = |bias: u64| {
        let kind = kind_of(file, bias).unwrap_or(AddressKind::Runtime);
        AddressMap { kind, bias, votes: 0, first: *first, last: *last }
    };
    if let Some(bias) = mapped_bias(profile, frames, &addrs, file) {
        return vec![assumed(bias)];
    }
    // Where a file that is not relocated stands is known.
    if file.is_relocated() {
        let witness = |frame: &&Frame| {
            let symbol = frame.symbol.filter(|_| !frame.inlined)?;
            Some(Witness { addr: frame.addr?.0, symbol: profile.string(symbol) })
        };
        let witnesses = frames.iter().filter_map(witness).collect();
        let ballot = vote_by_name(witnesses, file, symbolizer.symbols());
        if !ballot.maps.is_empty() {
            return ballot.maps;
        }
    }
    let in_code = |bias: &u64| addrs.iter().filter(|addr| file.is_code(addr.wrapping_add(*bias))).count();
    let likely = likely_biases(file).into_iter().rev().max_by_key(in_code);
    likely.map(assumed).into_iter().collect()
}

/// The bias by a mapping line that contains one of the addresses.
fn mapped_bias(profile: &Profile, frames: &[&Frame], addrs: &[u64], file: &ElfFile) -> Option<u64> {
    let object = frames.first()?.object;
    profile.mappings.iter().filter(|mapping| mapping.object == object).find_map(|mapping| {
        let addr = addrs.iter().find(|addr| mapping.file_offset(RuntimeAddr(**addr)).is_some())?;
        let offset = mapping.file_offset(RuntimeAddr(*addr))?;
        Some(file.addr_of_offset(offset.0)?.wrapping_sub(*addr))
    })
}

/// Whether the file has the voters' names, but elsewhere. Names that it does not have at all (local ones of a stripped
/// file) say nothing.
fn is_contradicted(ballot: &Ballot, voters: &[Voter<'_>], symbolizer: &Symbolizer) -> bool {
    if ballot.checked < MIN_VOTERS || ballot.agree * 2 >= ballot.checked {
        return false;
    }
    let known = symbolizer.symbols().names();
    let found = voters.iter().filter(|voter| known.contains(voter.symbol)).count();
    found >= MIN_VOTERS && ballot.agree * 2 < found
}
