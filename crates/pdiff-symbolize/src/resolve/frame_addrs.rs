//! The addresses in a file of the frames of one object, found as when the frames are named.

use pdiff_profile::{FrameId, ObjectAddr, ObjectIndex, Profile};

use crate::resolve::frames::{ObjectFrames, uses_of_frames};
use crate::resolve::identity::identify;
use crate::symbolizer::Symbolizer;

/// By frame of the profile: its address, if it is of the object and is used.
pub(crate) fn frame_addrs(
    profile: &Profile,
    object: ObjectIndex,
    symbolizer: &Symbolizer,
) -> Vec<Option<ObjectAddr>> {
    let used = profile.frames.iter().zip(uses_of_frames(profile));
    let all = (0..).map(FrameId).zip(used).map(|(id, (frame, uses))| (id, *frame, uses));
    let frames = all.filter(|(_, frame, uses)| frame.object == object && uses.is_any()).collect();
    let frames = ObjectFrames { frames };
    let identity = identify(profile, &frames, symbolizer);
    let mut addrs = vec![None; profile.frames.len()];
    for (id, frame, uses) in &frames.frames {
        if let Some(addr) = addrs.get_mut(id.index()) {
            *addr = identity.object_addr(frame, *uses);
        }
    }
    addrs
}
