//! Instructions to facts: direct calls, a hash of each body, signs of busy waiting.
//!
//! In: the image and where bodies lie. Out: per body its hash and spin points, and call edges. Bodies are decoded from
//! their first byte to their last; data between instructions, which compilers for these processors do not emit into
//! functions, would be read as instructions.
//!
//! Estimate: 32 MB of x86-64 are 8 M instructions; iced decodes 45 MB/s, so 0.7 s on one core.

mod aarch64;
mod sketch;
mod x86_64;

use pdiff_profile::census::{BodyHash, Spin};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::functions::{Code, Functions};
use super::image::{Image, Processor};

use sketch::{Sketch, TransferKind};

/// Largest body that is decoded; the largest real ones have 300 KB.
const MAX_BODY_BYTES: u64 = 16 << 20;

/// What the instructions of one body say.
#[derive(Clone, Debug, Default)]
pub(super) struct BodyFacts {
    pub(super) hash: Option<BodyHash>,
    pub(super) spins: Vec<(u64, Spin)>,
}

/// Calls from the code of one function to another, by index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Calls {
    pub(super) caller: u32,
    pub(super) callee: u32,
    pub(super) calls: u32,
    pub(super) tail_jumps: u32,
}

/// What all instructions say.
pub(super) struct Decoded {
    /// By body, in their order.
    pub(super) bodies: Vec<BodyFacts>,
    pub(super) calls: Vec<Calls>,
}

/// Decodes all bodies.
pub(super) fn decode_bodies(image: &Image<'_>, functions: &Functions<'_>) -> Decoded {
    let per_thread = functions.code.len() / (rayon::current_num_threads() * 16) + 1;
    let decode = |codes: &[Code]| {
        let mut sketch = Sketch::default();
        let mut calls = FxHashMap::default();
        let bodies: Vec<BodyFacts> =
            codes.iter().map(|code| decode_body(image, functions, code, &mut sketch, &mut calls)).collect();
        (bodies, calls)
    };
    let parts: Vec<_> = functions.code.par_chunks(per_thread).map(decode).collect();
    let mut decoded = Decoded { bodies: Vec::with_capacity(functions.code.len()), calls: Vec::new() };
    for (bodies, calls) in parts {
        decoded.bodies.extend(bodies);
        decoded.calls.extend(calls.into_iter().map(|((caller, callee), (calls, tail_jumps))| Calls {
            caller,
            callee,
            calls,
            tail_jumps,
        }));
    }
    decoded
}

type CallCounts = FxHashMap<(u32, u32), (u32, u32)>;

fn decode_body(
    image: &Image<'_>,
    functions: &Functions<'_>,
    code: &Code,
    sketch: &mut Sketch,
    calls: &mut CallCounts,
) -> BodyFacts {
    let bytes = if code.bytes <= MAX_BODY_BYTES { image.code_at(code.addr, code.bytes) } else { &[] };
    if bytes.is_empty() || bytes.len() as u64 != code.bytes {
        return BodyFacts::default();
    }
    sketch.begin(code.addr, bytes);
    match image.processor {
        Processor::X86 => x86_64::decode(&image.layout, sketch),
        Processor::Arm => aarch64::decode(sketch),
        Processor::Other => return BodyFacts::default(),
    }
    for transfer in &sketch.transfers {
        let Some(callee) = functions.starts.get(&transfer.target).copied() else { continue };
        // Jumps between the parts of a function are no calls; calls to itself are.
        if transfer.kind == TransferKind::Jump && callee == code.function {
            continue;
        }
        let (called, jumped) = calls.entry((code.function, callee)).or_default();
        match transfer.kind {
            TransferKind::Call => *called += 1,
            TransferKind::Jump => *jumped += 1,
        }
    }
    BodyFacts { hash: Some(BodyHash((sketch.hash() >> 32) as u32)), spins: sketch.spins.clone() }
}
