//! Readers of pdiff: bytes from outside become the vocabulary of `pdiff-profile`, plus notes on what was imperfect.
//!
//! [`read_input`] reads one recording: `perf.data`, the text of `perf script`, folded stacks, a pprof profile, a flame graph, or a pack
//! ([`write_pack`] makes one), plain or compressed, from a file or standard input. Paths are arguments: this crate decides none, prints nothing and
//! never panics on its input.

#![forbid(unsafe_code)]

mod compressed;
mod counted_samples;
mod counts;
mod cpu_list;
mod digits;
mod error;
mod flame_graph;
mod folded;
mod format;
mod input;
mod kernel_lists;
mod named_frames;
mod options;
mod pack;
mod perf_data;
mod perf_script;
mod pprof;
mod profiler_name;
mod read;
mod remarks;
mod server_settings;
mod source;
mod symbol_places;
mod time_window;
mod waits;
mod windows;

pub use compressed::{is_packed, write_packed};
pub use counts::{CountsFileError, parse_counts};
pub use cpu_list::{CpuList, ParseCpuListError};
pub use error::Error;
pub use flame_graph::FlameGraphError;
pub use format::WrongKind;
pub use input::Input;
pub use kernel_lists::KernelLists;
pub use options::ReadOptions;
pub use pack::{
    MAX_SECTION_BYTES, PackError, PackedCensus, PackedObject, PackedRun, RestrictError, into_pack, is_pack,
    read_pack, write_pack,
};
pub use perf_data::PerfDataError;
pub use perf_script::parse_perf_script;
pub use pprof::{PprofError, PprofLocation, PprofMapping, PprofSide, PprofThread, PprofWriter};
pub use read::{is_perf_data, read_input, read_profile};
pub use remarks::{RemarksError, parse_inline_remarks};
pub use server_settings::{SettingsError, parse_settings};
pub use source::Source;
pub use symbol_places::{RunningKernel, SymbolPlaces};
pub use time_window::{ParseTimeWindowError, TimeWindow};
pub use windows::{Windows, WindowsError};
