//! The machine code of functions of both builds side by side: the files are read here, and the analysis pairs and counts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use pdiff_analysis::{
    CodeMeasure, Comparison, FunctionCode, LeafFrame, RowFunction, Sampled, SampledCode, SideObject,
};
use pdiff_profile::{MachineCode, NoCode, Object, ObjectAddr, ObjectIndex, PerSide, Side};
use pdiff_symbolize::{CodeFile, WantedCode};

use crate::binary_facts::BuildSide;
use crate::error::Error;
use crate::lookup::Lookup;
use crate::prepared::Prepared;
use crate::read::Run;

impl Prepared {
    /// The machine code of functions of both builds side by side, with what was sampled there. What has no code says why.
    ///
    /// # Errors
    /// Returns an error if a binary that was given beside packs is another one.
    pub fn function_code(
        &self,
        comparison: &Comparison,
        functions: &[RowFunction],
    ) -> Result<Vec<FunctionCode>, Error> {
        let objects = self.normal().objects(&self.sides());
        let lookup = self.given().reading.lookup.as_ref();
        let mut files = PerSide::try_from_fn(|side| {
            let labels: BTreeSet<&str> = functions.iter().map(|of| of.object.as_str()).collect();
            let open = |label| Ok((label, ObjectCode::open(self.build_side(side), label, &objects, lookup)?));
            labels.into_iter().map(open).collect::<Result<BTreeMap<_, _>, Error>>()
        })?;
        let sampled: Vec<PerSide<AddressSamples>> = functions
            .iter()
            .zip(self.normal().leaves(&self.sides(), functions))
            .map(|(of, leaves)| {
                PerSide::from_fn(|side| addresses(files[side].get(of.object.as_str()), &leaves[side]))
            })
            .collect();
        let sought: Vec<Sought<'_>> =
            functions.iter().zip(&sampled).map(|(of, sampled)| Sought::new(of, sampled, &files)).collect();
        let codes = PerSide::from_fn(|side| {
            let wanted = sought.iter().map(|sought| (sought.of.object.as_str(), sought.wanted(side)));
            codes(&mut files[side], &wanted.collect::<Vec<_>>())
        });
        let measure = CodeMeasure::of(comparison);
        let both = codes.before.into_iter().zip(codes.after).zip(sampled).zip(functions);
        let side_by_side = |(((before, after), sampled), of): (_, &RowFunction)| {
            let sides = PerSide::new(before, after).zip(sampled);
            let sides = sides.map(|(code, samples)| SampledCode { code, samples });
            FunctionCode::new(of.clone(), measure, sides)
        };
        Ok(both.map(side_by_side).collect())
    }
}

/// Samples by their addresses in the file; no address if it is not known.
type AddressSamples = Vec<(Option<ObjectAddr>, Sampled)>;

/// The files of one side, by what rows call the object.
type Files<'l> = BTreeMap<&'l str, Result<ObjectCode, NoCode>>;

/// The file of an object.
struct ObjectCode {
    file: CodeFile,
    /// By run, then by frame: the address in the file; none for a run of another file.
    addrs: Vec<Vec<Option<ObjectAddr>>>,
}

impl ObjectCode {
    fn open(
        side: BuildSide<'_>,
        label: &str,
        objects: &[SideObject],
        lookup: Option<&Lookup>,
    ) -> Result<Result<Self, NoCode>, Error> {
        let of_side = objects.iter().filter(|object| object.side == side.side && object.label == label);
        let paths: BTreeSet<&str> = of_side.map(|object| object.path.as_str()).collect();
        let Some(lookup) = lookup else { return Ok(Err(NoCode::NoFile)) };
        let Some(path) = side.file(&|path| paths.contains(path), lookup)? else {
            return Ok(Err(if side.read.is_packed() { NoCode::Packed } else { NoCode::NoFile }));
        };
        // It was read when its functions were named: if it cannot be read, it was replaced meanwhile.
        let Ok(file) = CodeFile::open(&path, &lookup.options(&side.given.binaries)) else {
            return Ok(Err(NoCode::Unreadable));
        };
        let addrs = side.read.runs.iter().map(|run| frame_addrs(run, &paths, &path, &file)).collect();
        Ok(Ok(Self { file, addrs }))
    }
}

/// The addresses of a run's frames in the file of an object, by frame.
pub(crate) fn frame_addrs(
    run: &Run,
    paths: &BTreeSet<&str>,
    file: &Path,
    code: &CodeFile,
) -> Vec<Option<ObjectAddr>> {
    let is_of_other_file =
        run.files.iter().any(|found| paths.contains(found.path.as_str()) && found.file != *file);
    let is_it = |object: &Object| paths.contains(&*object.path);
    let object = run.profile.objects.iter().position(is_it).filter(|_| !is_of_other_file);
    let object = object.and_then(|at| u32::try_from(at).ok()).map(ObjectIndex);
    object.map_or_else(Vec::new, |object| code.frame_addrs(&run.profile, object))
}

/// The samples of leaf frames by their addresses in the file.
fn addresses(file: Option<&Result<ObjectCode, NoCode>>, leaves: &[LeafFrame]) -> AddressSamples {
    let object = file.and_then(|file| file.as_ref().ok());
    let addr = |leaf: &LeafFrame| object?.addrs.get(leaf.run)?.get(leaf.frame?.index()).copied().flatten();
    leaves.iter().map(|leaf| (addr(leaf), leaf.sampled)).collect()
}

/// A function that is looked for in the files of both sides.
struct Sought<'f> {
    of: &'f RowFunction,
    addrs: PerSide<Vec<ObjectAddr>>,
    /// Those of both sides: a side that was not sampled has its code by the symbols of the other.
    symbols: BTreeSet<String>,
}

impl<'f> Sought<'f> {
    fn new(of: &'f RowFunction, sampled: &PerSide<AddressSamples>, files: &PerSide<Files<'_>>) -> Self {
        let addrs = sampled.as_ref().map(|of| of.iter().filter_map(|(addr, _)| *addr).collect::<Vec<_>>());
        let of_side = files.iter().filter_map(|(side, files)| {
            let object = files.get(of.object.as_str())?.as_ref().ok()?;
            Some(object.file.symbols_at(&addrs[side]))
        });
        let symbols = of_side.flatten().collect();
        Self { of, addrs, symbols }
    }

    fn wanted(&self, side: Side) -> WantedCode<'_> {
        WantedCode { symbols: &self.symbols, addrs: &self.addrs[side], name: &self.of.name }
    }
}

/// The code of functions, in order, each with its object.
fn codes(files: &mut Files<'_>, wanted: &[(&str, WantedCode<'_>)]) -> Vec<Result<MachineCode, NoCode>> {
    let mut found: Vec<Result<MachineCode, NoCode>> = vec![Err(NoCode::NoFile); wanted.len()];
    for (label, file) in files {
        let of_file: Vec<usize> = (0..wanted.len()).filter(|at| wanted[*at].0 == *label).collect();
        let codes = match file {
            Ok(object) => object.file.codes(&of_file.iter().map(|at| wanted[*at].1).collect::<Vec<_>>()),
            Err(why) => vec![Err(*why); of_file.len()],
        };
        of_file.into_iter().zip(codes).for_each(|(at, code)| found[at] = code);
    }
    found
}
