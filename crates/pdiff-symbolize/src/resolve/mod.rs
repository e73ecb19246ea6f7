//! From the frames of a profile to functions: which file an object is, how perf's addresses become addresses of it, and
//! what is there.

mod address_map;
pub(crate) mod candidate;
mod frame_addrs;
mod frame_calls;
mod frames;
mod identity;
mod name_vote;
mod perf_names;
mod positions;
mod profile;
mod recorded_names;
mod unnamed;

pub use address_map::{AddressKind, AddressMap};
pub(crate) use frame_addrs::frame_addrs;
pub use profile::{Resolved, ResolvedObject, resolve_indexed, resolve_profile, resolve_rest};
pub use recorded_names::name_frames;
