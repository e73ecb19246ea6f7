//! The machine code of functions of both builds side by side: the files are read here, and the analysis pairs and counts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use pdiff_analysis::{
    CodeMeasure, Comparison, FunctionCode, LeafFrame, RowFunction, SampledCode, SideObject,
};
use pdiff_profile::{MachineCode, NoCode, ObjectAddr, ObjectIndex, PerSide, Side};
use pdiff_symbolize::CodeFile;

use crate::binary_facts::BuildSide;
use crate::error::Error;
use crate::prepared::Prepared;

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
        let measure = CodeMeasure::of(comparison);
        let leaves = self.normal().leaves(&self.sides(), functions);
        let objects = self.normal().objects(&self.sides());
        let mut files =
            PerSide::from_fn(|side| CodeFiles { of: self.build_side(side), known: BTreeMap::new() });
        let mut all = Vec::with_capacity(functions.len());
        for (of, leaves) in functions.iter().zip(leaves) {
            let mut found = PerSide::default();
            for (side, files) in files.iter_mut() {
                found[side] = Some(files.object(&of.object, &objects, self)?);
            }
            let found = found.both().unwrap_or_else(|| unreachable!("each side was looked at"));
            all.push(FunctionCode::new(of.clone(), measure, sampled_code(of, found, &leaves)));
        }
        Ok(all)
    }
}

/// The files of one side, each opened once.
struct CodeFiles<'a> {
    of: BuildSide<'a>,
    /// By what rows call the object.
    known: BTreeMap<String, Result<ObjectCode, NoCode>>,
}

/// The file of an object.
struct ObjectCode {
    file: CodeFile,
    /// By run, then by frame: the address in the file; none for a run of another file.
    addrs: Vec<Vec<Option<ObjectAddr>>>,
}

impl CodeFiles<'_> {
    fn object(
        &mut self,
        label: &str,
        objects: &[SideObject],
        prepared: &Prepared,
    ) -> Result<&mut Result<ObjectCode, NoCode>, Error> {
        if !self.known.contains_key(label) {
            let found = self.read(label, objects, prepared)?;
            self.known.insert(label.to_owned(), found);
        }
        Ok(self.known.get_mut(label).unwrap_or_else(|| unreachable!("it was put there")))
    }

    fn read(
        &self,
        label: &str,
        objects: &[SideObject],
        prepared: &Prepared,
    ) -> Result<Result<ObjectCode, NoCode>, Error> {
        let of_side = objects.iter().filter(|object| object.side == self.of.side && object.label == label);
        let paths: BTreeSet<&str> = of_side.map(|object| object.path.as_str()).collect();
        let Some(lookup) = prepared.given().reading.lookup.as_ref() else { return Ok(Err(NoCode::NoFile)) };
        let Some(path) = self.of.file(&|path| paths.contains(path), lookup)? else {
            return Ok(Err(if self.of.read.is_packed() { NoCode::Packed } else { NoCode::NoFile }));
        };
        // It was read when its functions were named: what fails now was replaced meanwhile.
        let Ok(file) = CodeFile::open(&path, &lookup.options(&self.of.given.binaries)) else {
            return Ok(Err(NoCode::Unreadable));
        };
        let addrs = self.addrs(&paths, &path, &file);
        Ok(Ok(ObjectCode { file, addrs }))
    }

    fn addrs(&self, paths: &BTreeSet<&str>, path: &PathBuf, file: &CodeFile) -> Vec<Vec<Option<ObjectAddr>>> {
        let of_run = |run: &crate::read::Run| {
            let is_of_other_file =
                run.files.iter().any(|found| paths.contains(found.path.as_str()) && found.file != *path);
            let is_it = |object: &pdiff_profile::Object| paths.contains(&*object.path);
            let object = run.profile.objects.iter().position(is_it).filter(|_| !is_of_other_file);
            let object = object.and_then(|at| u32::try_from(at).ok()).map(ObjectIndex);
            object.map_or_else(Vec::new, |object| file.frame_addrs(&run.profile, object))
        };
        self.of.read.runs.iter().map(of_run).collect()
    }
}

/// The code and the samples of a function. If a side was not sampled, its code is that with the symbols of the other side,
/// else with the name.
fn sampled_code(
    of: &RowFunction,
    mut files: PerSide<&mut Result<ObjectCode, NoCode>>,
    leaves: &PerSide<Vec<LeafFrame>>,
) -> PerSide<SampledCode> {
    let samples = PerSide::from_fn(|side: Side| {
        let addr = |leaf: &LeafFrame| {
            let addrs = files[side].as_ref().ok()?.addrs.get(leaf.run)?;
            addrs.get(leaf.frame?.index()).copied().flatten()
        };
        leaves[side].iter().map(|leaf| (addr(leaf), leaf.sampled)).collect::<Vec<_>>()
    });
    let addrs =
        samples.as_ref().map(|samples| samples.iter().filter_map(|(addr, _)| *addr).collect::<Vec<_>>());
    let mut symbols = BTreeSet::new();
    for (side, file) in files.iter() {
        symbols.extend(file.as_ref().iter().flat_map(|object| object.file.symbols_at(&addrs[side])));
    }
    let codes = PerSide::from_fn(|side| code(of, files[side], &symbols, &addrs[side]));
    codes.zip(samples).map(|(code, samples)| SampledCode { code, samples })
}

fn code(
    of: &RowFunction,
    file: &mut Result<ObjectCode, NoCode>,
    symbols: &BTreeSet<String>,
    addrs: &[ObjectAddr],
) -> Result<MachineCode, NoCode> {
    let file = match file {
        Ok(object) => &mut object.file,
        Err(why) => return Err(*why),
    };
    match file.code(symbols, addrs) {
        Err(NoCode::NoBody) => {
            let named = file.symbols_named(&of.name);
            file.code(&named, addrs)
        }
        found => found,
    }
}
