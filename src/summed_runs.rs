//! Runs that an engine summed, as recordings: a sample of each function in its own code, with nothing known of its callers.

use std::collections::BTreeMap;

use pdiff_ingest::{PackedObject, PackedRun, Source, write_pack};
use pdiff_profile::{
    Frame, Notes, Object, ProfileBuilder, Resolutions, RunMeasures, Thread, Uncovered, Weight,
};
use pdiff_store::{StoreError, SummedRun};

use crate::error::Error;
use crate::recording::Recording;

/// Why functions of sums are not described. One text for all runs, which may be thousands.
const NO_INLINING: &str = "nothing is known of inlined functions in the sums of some runs";

/// The recording whose own weights are those of a run that an engine summed. Totals are not kept: sums do not say which
/// functions were in one stack. Where others that it is compared with have inlined functions and it has none, `is_bare` says so:
/// then its functions are not described by debug information.
///
/// # Errors
/// Returns an error if the weights of an event together do not fit in 64 bits.
pub fn summed_recording(run: &SummedRun, is_bare: bool) -> Result<Recording, Error> {
    let name = format!("{}-{}", run.host, run.run_id);
    let mut builder = ProfileBuilder::new();
    let comm = builder.string("");
    let thread = builder.thread(Thread { comm, pid: None, tid: None });
    let mut bare: BTreeMap<String, Uncovered> = BTreeMap::new();
    for sum in run.sums.iter().filter(|sum| sum.self_weight > 0 || sum.self_samples > 0) {
        let object = Object::from_text(&sum.object);
        if is_bare {
            bare.entry(object.path.to_string()).or_default().add(&sum.function, NO_INLINING);
        }
        let object = builder.object(object);
        let symbol = Some(builder.string(&sum.function));
        let frame = builder.frame(Frame {
            addr: None,
            symbol,
            symbol_offset: None,
            object,
            source: None,
            inlined: false,
        });
        let stack = builder.stack(&[frame]);
        let event = builder.event(&sum.event);
        let samples = u32::try_from(sum.self_samples).unwrap_or(u32::MAX);
        builder.count(event, 0, thread, stack, samples, Weight(sum.self_weight));
    }
    let unstorable = |what: String| Error::Store(StoreError::Unstorable { what });
    let profile = builder.finish().map_err(|error| unstorable(error.to_string()))?;
    let packed = PackedRun {
        tool_version: concat!("pdiff ", env!("CARGO_PKG_VERSION")).to_owned(),
        // Nothing is looked up: names are those of the sums.
        resolutions: Some(Resolutions::new(profile.frames.len())),
        profile,
        notes: Notes::new(),
        objects: bare.into_iter().map(undescribed).collect(),
        measures: RunMeasures::default(),
    };
    let bytes = write_pack(&packed).map_err(|source| Error::NotPacked { path: name.clone(), source })?;
    Ok(Source::Bytes { name: name.into(), bytes: bytes.into() }.into())
}

/// An object of which nothing but the names of functions is known.
fn undescribed((path, uncovered): (String, Uncovered)) -> PackedObject {
    PackedObject {
        path,
        object_id: None,
        build_id: None,
        has_debug_info: false,
        uncovered,
        is_unverified: false,
        producers: Vec::new(),
        census: None,
    }
}
