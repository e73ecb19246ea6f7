//! From the addresses of a sample to a stack of the profile.
//!
//! A call chain is leaf first, with marks between kernel and user addresses (`PERF_CONTEXT_KERNEL` and similar, all of
//! them at the end of the address space). The same chain in the same maps gives the same stack, and most come again: a
//! million samples of a server have some 200,000 different chains. So a chain is looked up as its bytes first, and what
//! its addresses are is found out once: one hash and one comparison of 100 bytes in place of 11 searches.

use foldhash::fast::FixedState;
use pdiff_profile::{Frame, FrameId, ProfileBuilder, RawAddr, StackId, StackTable};
use rustc_hash::FxHashMap;
use std::hash::{BuildHasher as _, Hash as _, Hasher as _};

use super::fields::ByteOrder;
use super::maps::Maps;
use super::objects::Objects;
use super::processes::{Process, Stamp};

/// From here on numbers in a chain are marks.
const FIRST_MARK: u64 = (-4095_i64) as u64;
/// The most bytes of chains remembered; then all are forgotten.
const MAX_REMEMBERED: usize = 32 << 20;

/// In which mode code ran.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Mode {
    Kernel,
    User,
    /// A hypervisor or a guest, whose maps are not known.
    Elsewhere,
}

impl Mode {
    /// The mode in a record's `misc`.
    pub(super) fn of_misc(misc: u16) -> Self {
        match misc & 7 {
            1 => Self::Kernel,
            2 => Self::User,
            _ => Self::Elsewhere,
        }
    }

    /// The mode that a mark in a chain says; `None` for marks that are unknown.
    fn of_mark(mark: u64) -> Option<Self> {
        match mark.wrapping_neg() {
            128 => Some(Self::Kernel),
            512 | 640 => Some(Self::User),
            32 | 2048 | 2176 | 2560 => Some(Self::Elsewhere),
            _ => None,
        }
    }
}

/// The maps that a sample's addresses are in.
#[derive(Clone, Copy)]
pub(super) struct Space<'a> {
    pub(super) process: Option<&'a Process>,
    pub(super) kernel: &'a Maps,
    pub(super) kernel_stamp: u64,
}

/// A chain that was met.
#[derive(Clone, Copy, Debug)]
struct Remembered {
    start: usize,
    len: u32,
    stamps: (Stamp, u64),
    stack: StackId,
}

/// Makes stacks of chains.
pub(super) struct Stacks {
    order: ByteOrder,
    remembered: FxHashMap<u64, Remembered>,
    bytes: Vec<u8>,
    kernel_object: Option<u32>,
    unknown_object: Option<u32>,
    /// Kept for its memory.
    leaf_first: Vec<FrameId>,
    /// Chains that were too deep.
    pub(super) cut: u64,
}

impl Stacks {
    pub(super) fn new(order: ByteOrder) -> Self {
        Self {
            order,
            remembered: FxHashMap::default(),
            bytes: Vec::new(),
            kernel_object: None,
            unknown_object: None,
            leaf_first: Vec::new(),
            cut: 0,
        }
    }

    /// The stack of one address.
    pub(super) fn of_address(
        &mut self,
        addr: u64,
        mode: Mode,
        space: Space<'_>,
        objects: &mut Objects,
        builder: &mut ProfileBuilder,
    ) -> StackId {
        let frame = self.frame(addr, mode, space, objects, builder);
        builder.stack(&[frame])
    }

    /// The stack of a call chain; `None` if it has no address.
    #[inline]
    pub(super) fn of_chain(
        &mut self,
        chain: &[u8],
        space: Space<'_>,
        objects: &mut Objects,
        builder: &mut ProfileBuilder,
    ) -> Option<StackId> {
        let stamps = (space.process.map_or_else(Stamp::default, |process| process.stamp), space.kernel_stamp);
        let mut hasher = FixedState::default().build_hasher();
        stamps.hash(&mut hasher);
        hasher.write(chain);
        let hash = hasher.finish();
        if let Some(known) = self.remembered.get(&hash)
            && known.stamps == stamps
            && self.bytes.get(known.start..known.start + known.len as usize) == Some(chain)
        {
            return Some(known.stack);
        }
        self.leaf_first.clear();
        self.push_chain(chain, space, objects, builder);
        let stack = self.finish(builder)?;
        self.remember(hash, chain, stamps, stack);
        Some(stack)
    }

    /// The stack of a chain whose user part was found otherwise: `unwound` addresses follow those of the chain, leaf first.
    pub(super) fn of_unwound(
        &mut self,
        chain: &[u8],
        unwound: &[u64],
        space: Space<'_>,
        objects: &mut Objects,
        builder: &mut ProfileBuilder,
    ) -> Option<StackId> {
        self.leaf_first.clear();
        self.push_chain(chain, space, objects, builder);
        for addr in unwound {
            let frame = self.frame(*addr, Mode::User, space, objects, builder);
            self.leaf_first.push(frame);
        }
        self.finish(builder)
    }

    fn push_chain(
        &mut self,
        chain: &[u8],
        space: Space<'_>,
        objects: &mut Objects,
        builder: &mut ProfileBuilder,
    ) {
        let mut mode = Mode::User;
        for number in self.order.numbers64(chain) {
            if number < FIRST_MARK {
                let frame = self.frame(number, mode, space, objects, builder);
                self.leaf_first.push(frame);
            } else if let Some(next) = Mode::of_mark(number) {
                mode = next;
            } else {
                // As in perf: what follows an unknown mark is not to be relied on.
                break;
            }
        }
    }

    fn finish(&mut self, builder: &mut ProfileBuilder) -> Option<StackId> {
        if self.leaf_first.is_empty() {
            return None;
        }
        if self.leaf_first.len() > StackTable::MAX_DEPTH {
            self.leaf_first.truncate(StackTable::MAX_DEPTH);
            self.cut += 1;
        }
        self.leaf_first.reverse();
        Some(builder.stack(&self.leaf_first))
    }

    fn remember(&mut self, hash: u64, chain: &[u8], stamps: (Stamp, u64), stack: StackId) {
        if self.bytes.len() + chain.len() > MAX_REMEMBERED {
            self.bytes.clear();
            self.remembered.clear();
        }
        let (start, len) = (self.bytes.len(), u32::try_from(chain.len()).unwrap_or(0));
        self.bytes.extend_from_slice(chain);
        self.remembered.insert(hash, Remembered { start, len, stamps, stack });
    }

    fn frame(
        &mut self,
        addr: u64,
        mode: Mode,
        space: Space<'_>,
        objects: &mut Objects,
        builder: &mut ProfileBuilder,
    ) -> FrameId {
        let map = match mode {
            // The image goes on behind what its map says: with code that ran when the kernel started.
            Mode::Kernel => {
                space.kernel.before(addr).filter(|map| addr < map.end || objects.is_kernel_image(map.object))
            }
            Mode::User => space.process.and_then(|process| process.maps.find(addr)),
            Mode::Elsewhere => None,
        };
        let (object, shift) = match map {
            Some(map) => (map.object, map.shift),
            // perf may not be allowed to say where the kernel is.
            None if mode == Mode::Kernel && space.kernel.len() == 0 => {
                (*self.kernel_object.get_or_insert_with(|| objects.number("[kernel.kallsyms]", None)), 0)
            }
            None => (*self.unknown_object.get_or_insert_with(|| objects.number("[unknown]", None)), 0),
        };
        let object = objects.index(object, builder);
        let addr = Some(RawAddr(addr.wrapping_add(shift)));
        builder.frame(Frame { addr, symbol: None, symbol_offset: None, object, source: None, inlined: false })
    }
}
