//! The bytes that a census is written in are those of all codecs.

pub(super) use crate::codec::{ByteReader, ByteWriter};
