//! Flame graphs as input: the SVG pictures of inferno, of FlameGraph.pl and of `pdiff flame`.
//!
//! ```text
//! picture = ... "<g>" "<title>" name " (" samples " samples, " percent "%)" "</title>" "<rect" place "/>" ... "</g>" ...
//! place   = y, fg:x, fg:w                       inferno: position and width in samples, exact
//!         | y, x, width                         FlameGraph.pl: pixels, rounded to a tenth; samples only in the title
//! ```
//!
//! Real frames of inferno 0.12.8 and of flamegraph.pl (2024-10-21):
//!
//! ```text
//! <g><title>work (12 samples, 0.92%)</title><rect x="1.0%" y="37" width="0.92%" height="15" fill="rgb(2,3,4)" fg:x="13" fg:w="12"/>...</g>
//! <g ><title>work (1,012 samples, 7.65%)</title><rect x="97.9" y="37" width="90.2" height="15.0" fill="rgb(2,3,4)" rx="2" ry="2" />...</g>
//! ```
//!
//! In: XML, read once. Out: a stack for each frame that has weight of its own; the frame "all" gives none. Frames that were
//! too narrow to draw left gaps; their weight is counted for a separate object, below their callers. Both tools draw a
//! function's own cost before its callees, so a gap before the first callee counts as the function's own, although it may
//! hide a narrow frame. A picture has no times, threads, objects or marks of inlined frames. Its widths are numbers of samples or
//! their weight (`counted_samples`); a picture of `pdiff flame` says how many samples of which event it has.
//!
//! Deliberately not read: differences of two profiles, which have the widths of one side alone.

mod detect;
pub(crate) mod error;
mod layout;
mod picture;
mod stacks;
mod title;

use std::io::{BufReader, Read};

use pdiff_profile::{Profile, Resolutions};

use self::layout::Layout;
use crate::error::Error;
use crate::options::ReadOptions;
use crate::perf_script::TextInput;
use crate::time_window::TimeWindow;

pub(crate) use detect::is_svg;
pub use error::FlameGraphError;

/// How many bytes are read between two reports of progress.
const BUFFER_BYTES: usize = 1 << 20;

/// Reads a picture.
pub(crate) fn parse<R: Read>(
    input: TextInput<'_, R>,
    options: &ReadOptions<'_>,
) -> Result<(Profile, Option<Resolutions>), Error> {
    if options.time != TimeWindow::All {
        return Err(Error::NoTimes { path: input.path.into() });
    }
    let wrong = |source| Error::FlameGraph { path: input.path.into(), source };
    let ticking = Ticking { inner: input.text, tick: input.tick };
    let picture = picture::read(BufReader::with_capacity(BUFFER_BYTES, ticking));
    let picture = picture.map_err(|error| match error {
        picture::ReadError::Io(error) => (input.on_error)(error),
        picture::ReadError::Wrong(source) => wrong(source),
    })?;
    let layout = Layout::new(&picture).map_err(wrong)?;
    let (builder, named) = stacks::count(&picture, &layout).map_err(wrong)?;
    let profile = builder.finish().map_err(|source| Error::Build { path: input.path.into(), source })?;
    if profile.cells.is_empty() {
        return Err(wrong(FlameGraphError::OtherPicture("its frames have no samples")));
    }
    let named = named.into_resolutions(profile.frames.len());
    Ok((profile, named))
}

/// A reader that tells of each block.
struct Ticking<'a, R> {
    inner: R,
    tick: &'a dyn Fn(),
}

impl<R: Read> Read for Ticking<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        (self.tick)();
        self.inner.read(buffer)
    }
}
