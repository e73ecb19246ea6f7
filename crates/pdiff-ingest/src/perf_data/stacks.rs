//! From the addresses of a sample to a stack of the profile.
//!
//! A call chain is leaf first, with marks between kernel and user addresses (`PERF_CONTEXT_KERNEL` and similar, all of
//! them at the end of the address space). The same chain in the same maps gives the same stack, and most come again: a
//! million samples of a server have some 200,000 different chains. So a chain is looked up as a whole first, by 128 bits of
//! hashes: of a million chains, two have the same in one of 10^26 recordings. Addresses of new chains are mostly known from
//! others, too, and a small table has those of late.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use pdiff_profile::{Frame, FrameId, ProfileBuilder, RawAddr, StackId, StackTable};
use std::hash::{BuildHasher as _, Hash as _, Hasher as _};

use super::fields::ByteOrder;
use super::maps::Maps;
use super::objects::Objects;
use super::processes::{Process, Stamp};

/// From here on numbers in a chain are marks.
const FIRST_MARK: u64 = (-4095_i64) as u64;
/// The most chains remembered; then all are forgotten.
const MAX_REMEMBERED: usize = 1 << 20;
/// Places of addresses met of late, two to the power of this: some 300 kB.
const KNOWN_ADDRESSES_BITS: u32 = 13;

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

impl Space<'_> {
    fn user_stamp(&self) -> Stamp {
        self.process.map_or_else(Stamp::default, |process| process.stamp)
    }
}

/// The identity of a chain in the state of its maps.
#[inline]
fn fingerprint(chain: &[u8], space: Space<'_>) -> [u64; 2] {
    [0, 1].map(|seed| {
        let mut hasher = FixedState::with_seed(seed).build_hasher();
        (space.user_stamp(), space.kernel_stamp).hash(&mut hasher);
        hasher.write(chain);
        hasher.finish()
    })
}

/// A chain that was met.
#[derive(Clone, Copy, Debug)]
struct Remembered {
    fingerprint: [u64; 2],
    stack: StackId,
}

/// An address that was met, in a state of the maps.
#[derive(Clone, Copy, Debug)]
struct KnownAddress {
    addr: u64,
    mode: Mode,
    stamp: u64,
    frame: FrameId,
}

/// Makes stacks of chains.
pub(super) struct Stacks {
    order: ByteOrder,
    remembered: HashTable<Remembered>,
    /// Each address has one place, which it shares with others.
    known: Box<[Option<KnownAddress>]>,
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
            remembered: HashTable::new(),
            known: vec![None; 1 << KNOWN_ADDRESSES_BITS].into(),
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
        let fingerprint = fingerprint(chain, space);
        let [hash, _] = fingerprint;
        if let Some(known) = self.remembered.find(hash, |known| known.fingerprint == fingerprint) {
            return Some(known.stack);
        }
        self.leaf_first.clear();
        self.push_chain(chain, space, objects, builder);
        let stack = self.finish(builder)?;
        if self.remembered.len() >= MAX_REMEMBERED {
            self.remembered.clear();
        }
        self.remembered.insert_unique(hash, Remembered { fingerprint, stack }, |known| known.fingerprint[0]);
        Some(stack)
    }

    /// The stack of a chain whose user part was found differently: `unwound` addresses follow those of the chain, leaf
    /// first.
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
                // An unknown mark comes of a broken frame pointer. perf drops the whole chain; what is before it is sound.
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

    /// The frame of an address, by the table of those met of late if it is there.
    pub(super) fn frame(
        &mut self,
        addr: u64,
        mode: Mode,
        space: Space<'_>,
        objects: &mut Objects,
        builder: &mut ProfileBuilder,
    ) -> FrameId {
        let stamp = match mode {
            Mode::Kernel => space.kernel_stamp,
            Mode::User => space.user_stamp().0,
            Mode::Elsewhere => 0,
        };
        /// An odd number whose product with an address spreads over the upper bits.
        const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
        let place = (addr.wrapping_mul(SPREAD) >> (u64::BITS - KNOWN_ADDRESSES_BITS)) as usize;
        let is_it = |known: &KnownAddress| (known.addr, known.mode, known.stamp) == (addr, mode, stamp);
        if let Some(known) = self.known.get(place).copied().flatten().filter(is_it) {
            return known.frame;
        }
        let frame = self.find_frame(addr, mode, space, objects, builder);
        if let Some(known) = self.known.get_mut(place) {
            *known = Some(KnownAddress { addr, mode, stamp, frame });
        }
        frame
    }

    fn find_frame(
        &mut self,
        addr: u64,
        mode: Mode,
        space: Space<'_>,
        objects: &mut Objects,
        builder: &mut ProfileBuilder,
    ) -> FrameId {
        let map = match mode {
            // The image continues behind what its map says: with code that ran when the kernel started.
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
        let function = objects.function(object);
        let symbol = function.map(|(name, _)| name);
        let symbol_offset = function.map(|(_, start)| addr.wrapping_sub(start));
        let object = objects.index(object, builder);
        let addr = Some(RawAddr(addr.wrapping_add(shift)));
        builder.frame(Frame { addr, symbol, symbol_offset, object, source: None, inlined: false })
    }
}
