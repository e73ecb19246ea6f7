//! Compressed input: gzip (several members), zstd (several frames), xz (several streams), recognised by the first bytes.
//!
//! Decompression runs in a separate thread, which passes chunks through a bounded channel, so it overlaps with parsing, and
//! memory stays at a few chunks. The ratio has no limit, because real perf text compresses 80 to 1. Limited are the memory
//! that an input can make the decompressor allocate ([`MAX_WINDOW_LOG`], [`MAX_XZ_MEMORY`]) and the amount of text that
//! comes out ([`MAX_UNPACKED_BYTES`]); lines and stacks are limited by the parser.

use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// The greatest zstd window, as a power of two: 128 MiB is what zstd itself takes without `--long=28` and up.
pub(crate) const MAX_WINDOW_LOG: u32 = 27;

/// The most memory that an xz stream may ask for; `xz -9` needs 65 MiB.
#[cfg(feature = "xz")]
pub(crate) const MAX_XZ_MEMORY: u64 = 256 << 20;

/// The most text that one packed input may hold: a year of samples, or a bomb.
pub(crate) const MAX_UNPACKED_BYTES: u64 = 1 << 40;

/// Size of the chunks handed over.
const CHUNK_BYTES: usize = 256 * 1024;

/// How many chunks wait at most.
const CHUNKS_WAITING: usize = 4;

/// How an input is packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Packing {
    /// RFC 1952.
    Gzip,
    /// RFC 8878.
    Zstd,
    /// The .xz format.
    Xz,
}

impl Packing {
    /// The packing that the first bytes tell of.
    pub(crate) fn detect(start: &[u8]) -> Option<Self> {
        let is_skippable_zstd = matches!(start, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..]);
        match start {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Self::Zstd),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Self::Xz),
            _ => is_skippable_zstd.then_some(Self::Zstd),
        }
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Xz => "xz",
        }
    }
}

/// Bytes packed by gzip.
#[must_use]
pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(bytes).expect("memory takes all that is written");
    packed.finish().expect("memory takes all that is written")
}

/// Whether bytes are packed by gzip, zstd or xz.
#[must_use]
pub fn is_packed(bytes: &[u8]) -> bool {
    Packing::detect(bytes).is_some()
}

/// Writes what `fill` gives, packed as the end of a file's name asks for: `.gz` or `.zst`.
///
/// # Errors
/// Those of `fill` and of `out`.
pub fn write_packed<E: From<io::Error>>(
    name: &Path,
    out: &mut dyn Write,
    fill: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    match name.extension().and_then(OsStr::to_str) {
        Some("gz") => {
            let mut packed = flate2::write::GzEncoder::new(out, flate2::Compression::default());
            fill(&mut packed)?;
            packed.finish()?;
        }
        Some("zst") => {
            let mut packed = zstd::Encoder::new(out, zstd::DEFAULT_COMPRESSION_LEVEL)?;
            fill(&mut packed)?;
            packed.finish()?;
        }
        _ => fill(out)?,
    }
    Ok(())
}

/// A reader of the unpacked text.
pub(crate) fn unpack(
    packing: Packing,
    stored: impl Read + Send + 'static,
) -> io::Result<Box<dyn Read + Send>> {
    let (sender, chunks) = sync_channel(CHUNKS_WAITING);
    thread::Builder::new().name("unpack".into()).spawn(move || match decoder(packing, stored) {
        Ok(decoder) => send_chunks(decoder, &sender),
        Err(error) => drop(sender.send(Err(error))),
    })?;
    Ok(Box::new(Chunks { chunks, current: io::Cursor::new(Vec::new()) }))
}

fn decoder<R: Read + Send + 'static>(packing: Packing, stored: R) -> io::Result<Box<dyn Read>> {
    Ok(match packing {
        Packing::Gzip => Box::new(flate2::read::MultiGzDecoder::new(stored)),
        Packing::Zstd => {
            let mut decoder = zstd::stream::read::Decoder::new(stored)?;
            decoder.window_log_max(MAX_WINDOW_LOG)?;
            Box::new(decoder)
        }
        #[cfg(not(feature = "xz"))]
        Packing::Xz => {
            let text = "this build cannot unpack xz; hint: unpack it with `xz -dk`, or build pdiff with all its features";
            return Err(io::Error::new(io::ErrorKind::Unsupported, text));
        }
        #[cfg(feature = "xz")]
        Packing::Xz => {
            let stream =
                liblzma::stream::Stream::new_stream_decoder(MAX_XZ_MEMORY, liblzma::stream::CONCATENATED)?;
            Box::new(liblzma::read::XzDecoder::new_stream(stored, stream))
        }
    })
}

/// Unpacks until the end, an error, or until nobody wants more.
fn send_chunks(mut decoder: Box<dyn Read>, sender: &SyncSender<io::Result<Vec<u8>>>) {
    let mut total = 0_u64;
    loop {
        let mut chunk = Vec::with_capacity(CHUNK_BYTES);
        let result = decoder.by_ref().take(CHUNK_BYTES as u64).read_to_end(&mut chunk);
        total = total.saturating_add(chunk.len() as u64);
        let is_end = chunk.is_empty();
        if !is_end && sender.send(Ok(chunk)).is_err() {
            return;
        }
        match result {
            Err(error) => return drop(sender.send(Err(error))),
            Ok(_) if total > MAX_UNPACKED_BYTES => {
                let limit = io::Error::other(format!("more than {MAX_UNPACKED_BYTES} bytes of text"));
                return drop(sender.send(Err(limit)));
            }
            Ok(_) if is_end => return,
            Ok(_) => {}
        }
    }
}

/// The chunks as one stream.
struct Chunks {
    chunks: Receiver<io::Result<Vec<u8>>>,
    current: io::Cursor<Vec<u8>>,
}

impl Read for Chunks {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let len = self.current.read(buffer)?;
            if len > 0 || buffer.is_empty() {
                return Ok(len);
            }
            match self.chunks.recv() {
                Ok(chunk) => self.current = io::Cursor::new(chunk?),
                Err(_) => return Ok(0),
            }
        }
    }
}
