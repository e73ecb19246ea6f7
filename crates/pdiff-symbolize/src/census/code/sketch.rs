//! A body while it is decoded: its bytes with the movable parts blanked, where it transfers control to, where it spins.

use pdiff_profile::census::Spin;

use crate::binary::content_hash::ContentHash;

/// How control leaves a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TransferKind {
    Call,
    Jump,
}

/// A call, or a jump out of the body, whose target the file tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Transfer {
    pub(super) kind: TransferKind,
    pub(super) target: u64,
}

/// One body in the making. Used again and again, so that its memory is.
#[derive(Debug, Default)]
pub(super) struct Sketch {
    pub(super) addr: u64,
    pub(super) bytes: Vec<u8>,
    /// The bytes with what depends on addresses set to zero.
    masked: Vec<u8>,
    pub(super) transfers: Vec<Transfer>,
    pub(super) spins: Vec<(u64, Spin)>,
}

impl Sketch {
    pub(super) fn begin(&mut self, addr: u64, bytes: &[u8]) {
        self.addr = addr;
        for copy in [&mut self.bytes, &mut self.masked] {
            copy.clear();
            copy.extend_from_slice(bytes);
        }
        self.transfers.clear();
        self.spins.clear();
    }

    /// Blanks bytes that depend on where things lie.
    pub(super) fn mask(&mut self, at: usize, length: usize) {
        if let Some(bytes) = self.masked.get_mut(at..at.saturating_add(length)) {
            bytes.fill(0);
        }
    }

    /// Blanks the given bits of a four-byte instruction.
    pub(super) fn mask_bits(&mut self, at: usize, bits: u32) {
        if let Some(bytes) = self.masked.get_mut(at..).and_then(|rest| rest.first_chunk_mut::<4>()) {
            *bytes = (u32::from_le_bytes(*bytes) & !bits).to_le_bytes();
        }
    }

    pub(super) fn transfer(&mut self, kind: TransferKind, target: u64) {
        self.transfers.push(Transfer { kind, target });
    }

    /// The hash of what was not blanked.
    pub(super) fn hash(&self) -> u64 {
        let mut hash = ContentHash::new();
        hash.bytes(&self.masked);
        hash.finish()
    }
}
