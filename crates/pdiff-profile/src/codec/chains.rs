//! The byte form of inline chains: functions by number, lines near those before. The chains of a function share its texts.

use std::sync::Arc;

use super::bytes::{ByteReader, ByteWriter};
use super::codes::Code;
use super::newest::Newest;
use super::objects::{read_bool, read_optional};
use crate::resolution::{InlineChain, InlineFrame, Resolution};

/// A function with its texts.
pub(super) struct FunctionTexts {
    name: Arc<str>,
    linkage_name: Option<Arc<str>>,
    file: Option<Arc<str>>,
}

pub(super) fn read_functions(reader: &mut ByteReader<'_>, texts: &[Arc<str>]) -> Option<Vec<FunctionTexts>> {
    let count = reader.count(3)?;
    let mut names = Newest::default();
    let text = |number: u32| texts.get(number as usize).cloned();
    let mut functions = Vec::with_capacity(count);
    for _ in 0..count {
        let name = text(names.read(reader)?)?;
        functions.push(FunctionTexts { name, linkage_name: None, file: None });
    }
    for function in &mut functions {
        if let Some(number) = read_optional(reader)? {
            function.linkage_name = Some(text(number)?);
        }
    }
    for function in &mut functions {
        if let Some(number) = read_optional(reader)? {
            function.file = Some(text(number)?);
        }
    }
    Some(functions)
}

pub(super) fn write_chains(
    out: &mut ByteWriter,
    table: &[Resolution],
    functions: &[u32],
    function_count: usize,
) {
    out.count(table.len());
    table.iter().for_each(|resolution| out.count(frames_of(resolution).len()));
    for resolution in table {
        if let Resolution::Unresolved(reason) = resolution {
            out.byte(reason.to_code());
        }
    }
    let frames = || table.iter().flat_map(frames_of);
    frames().for_each(|frame| out.byte(u8::from(frame.inlined)));
    let mut newest = Newest::default();
    functions.iter().for_each(|function| newest.write(out, *function));
    let mut lines = Lines::new(function_count);
    frames().zip(functions).for_each(|(frame, function)| lines.write(out, *function, frame.line));
}

/// The frames of a resolution, outermost first; none if it is a reason.
pub(super) fn frames_of(resolution: &Resolution) -> &[InlineFrame] {
    match resolution {
        Resolution::Resolved(chain) => chain.frames(),
        Resolution::Unresolved(_) => &[],
    }
}

pub(super) fn read_chains(
    reader: &mut ByteReader<'_>,
    functions: &[FunctionTexts],
) -> Option<Vec<Resolution>> {
    let count = reader.count(1)?;
    let depths: Vec<usize> = (0..count)
        .map(|_| usize::try_from(reader.number()?).ok().filter(|depth| *depth <= InlineChain::MAX_DEPTH))
        .collect::<Option<_>>()?;
    let unresolved = depths.iter().filter(|depth| **depth == 0).count();
    let mut reasons = reader.take(unresolved)?.iter();
    let frame_count = depths.iter().sum();
    let mut inlined = ByteReader::new(reader.take(frame_count)?);
    let mut newest = Newest::default();
    let numbers: Vec<u32> = (0..frame_count).map(|_| newest.read(reader)).collect::<Option<_>>()?;
    let (mut numbers, mut lines) = (numbers.into_iter(), Lines::new(functions.len()));
    let mut frame = |reader: &mut ByteReader<'_>| {
        let number = numbers.next()?;
        let function = functions.get(number as usize)?;
        let (line, inlined) = (lines.read(reader, number)?, read_bool(&mut inlined)?);
        Some(InlineFrame {
            name: Arc::clone(&function.name),
            linkage_name: function.linkage_name.clone(),
            file: function.file.clone(),
            line,
            inlined,
        })
    };
    let mut resolution = |depth: usize| match depth {
        0 => Some(Resolution::Unresolved(Code::from_code(*reasons.next()?)?)),
        _ => {
            let frames = (0..depth).map(|_| frame(reader)).collect::<Option<_>>()?;
            InlineChain::new(frames).map(Resolution::Resolved)
        }
    };
    depths.into_iter().map(&mut resolution).collect()
}

/// The last line of each function, because the next one is near it. Zero means no line, otherwise the line plus one.
struct Lines {
    last: Vec<u64>,
}

impl Lines {
    fn new(functions: usize) -> Self {
        Self { last: vec![0; functions] }
    }

    fn write(&mut self, out: &mut ByteWriter, function: u32, line: Option<u32>) {
        if let Some(last) = self.last.get_mut(function as usize) {
            let line = line.map_or(0, |line| u64::from(line) + 1);
            out.difference(*last, line);
            *last = line;
        }
    }

    fn read(&mut self, reader: &mut ByteReader<'_>, function: u32) -> Option<Option<u32>> {
        let last = self.last.get_mut(function as usize)?;
        *last = reader.difference(*last)?;
        match last.checked_sub(1) {
            None => Some(None),
            Some(line) => u32::try_from(line).ok().map(Some),
        }
    }
}
