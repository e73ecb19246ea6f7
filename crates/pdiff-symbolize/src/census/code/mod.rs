//! Instructions to facts: calls whose target the file tells, a hash of each body, signs of busy waiting.
//!
//! In: the file and where bodies lie. Out: per body its hash, its spin points and the addresses it calls. Bodies are
//! decoded from their first byte to their last; data between instructions, which compilers for these processors do not emit into
//! functions, would be read as instructions.
//!
//! Estimate: 32 MB of x86-64 are 8 M instructions; iced decodes 45 MB/s, so 0.7 s on one core.

mod aarch64;
mod sketch;
mod x86_64;

use pdiff_profile::census::{BodyHash, Spin};
use rayon::prelude::*;

use super::code_places::CodePlace;
use crate::binary::call_targets::CallTargets;
use crate::binary::elf_file::ElfFile;
use crate::binary::layout::{Layout, Processor};

use sketch::{Sketch, Transfer, TransferKind};

/// Largest body that is decoded; the largest real ones have 300 KB.
const MAX_BODY_BYTES: u64 = 16 << 20;

/// What the instructions of one body say.
#[derive(Clone, Debug, Default)]
pub(super) struct BodyFacts {
    pub(super) hash: Option<BodyHash>,
    pub(super) spins: Vec<(u64, Spin)>,
    /// Where control goes from here, each address once; the slot stands for a function of another file that is called through it.
    pub(super) transfers: Vec<Transfers>,
}

/// Calls of an address, and jumps to it, from one body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Transfers {
    pub(super) target: u64,
    pub(super) calls: u32,
    pub(super) jumps: u32,
}

/// Decodes all bodies; the facts are in their order.
pub(super) fn decode_bodies(file: &ElfFile, code: &[CodePlace]) -> Vec<BodyFacts> {
    let (processor, layout, targets) = (Processor::of(file), Layout::read(file), CallTargets::read(file));
    let decode = |sketch: &mut Sketch, place: &CodePlace| {
        let is_small = place.bytes <= MAX_BODY_BYTES;
        let bytes = if is_small { file.instructions(place.addr, place.bytes) } else { &[] };
        decode_body(processor, (&layout, &targets), place, bytes, sketch)
    };
    code.par_iter().map_init(Sketch::default, decode).collect()
}

fn decode_body(
    processor: Processor,
    (layout, targets): (&Layout, &CallTargets),
    place: &CodePlace,
    bytes: &[u8],
    sketch: &mut Sketch,
) -> BodyFacts {
    if bytes.is_empty() || bytes.len() as u64 != place.bytes {
        return BodyFacts::default();
    }
    sketch.begin(place.addr, bytes);
    match processor {
        Processor::X86 => x86_64::decode(layout, targets, sketch),
        Processor::Arm => aarch64::decode(sketch),
        Processor::Other => return BodyFacts::default(),
    }
    BodyFacts {
        hash: Some(BodyHash((sketch.hash() >> 32) as u32)),
        spins: sketch.spins.clone(),
        transfers: counted(&mut sketch.transfers),
    }
}

fn counted(transfers: &mut [Transfer]) -> Vec<Transfers> {
    transfers.sort_unstable_by_key(|transfer| transfer.target);
    let same_target = transfers.chunk_by(|a, b| a.target == b.target);
    let count = |here: &[Transfer], kind| here.iter().filter(|transfer| transfer.kind == kind).count() as u32;
    let row = |here: &[Transfer]| {
        let target = here.first()?.target;
        let (calls, jumps) = (count(here, TransferKind::Call), count(here, TransferKind::Jump));
        Some(Transfers { target, calls, jumps })
    };
    same_target.filter_map(row).collect()
}
