//! Two small builds for tests: every change, and a hostile name.

use pdiff_analysis::Aliases;
use pdiff_analysis::inlines::{InlineComparison, compare_inlines};
use pdiff_analysis::matching::{Matching, match_functions};
use pdiff_profile::census::{
    Body, CallEdge, Census, CensusBuilder, EdgeSource, FunctionFacts, FunctionId, InlineSite, Producer,
    Visibility,
};
use pdiff_profile::{Notes, ObjectAddr, PerSide};

use crate::inlines::view::{BuildFile, InlinesFilter, InlinesView};

/// A name that tries to colour the terminal and to break a markdown table.
pub(crate) const HOSTILE: &str = "evil\u{1b}[31m|`x`";

/// Two builds and which function is which.
pub(crate) struct Builds {
    before: Census,
    after: Census,
    matching: Matching,
}

impl Builds {
    pub(crate) fn new(before: Census, after: Census) -> Self {
        let matching = match_functions(&before, &after, &Aliases::default());
        Self { before, after, matching }
    }

    pub(crate) fn comparison(&self) -> InlineComparison<'_> {
        compare_inlines(&self.before, &self.after, &self.matching)
    }
}

/// `leaf` is lost, `wrap` gained, `half` mixed, `comes` new, `goes` gone, `grows` grew, the hostile one shrank.
pub(crate) fn builds() -> Builds {
    let mut before = Build::new(Visibility::DebugInfo, "GNU C++ 4.1.2", 3);
    for (name, bytes) in [("a", 90), ("b", 90), ("goes", 40), ("grows", 100), (HOSTILE, 100), ("wrap", 30)] {
        before.body(name, bytes, "x/a.cc");
    }
    before.body("half", 20, "x/a.cc").copies("leaf", "a", 2, "x/leaf.h").call("a", "wrap");
    before.copies("half", "a", 1, "x/a.cc").copies("half", "b", 3, "x/a.cc");
    let mut after = Build::new(Visibility::DebugInfo, "GNU C++17 12.2.0 -O2 -g1", 2);
    for (name, bytes) in [("a", 80), ("b", 90), ("comes", 70), ("grows", 150), (HOSTILE, 50), ("half", 20)] {
        after.body(name, bytes, "y/a.cc");
    }
    after.body("leaf", 40, "y/leaf.cc").call("a", "leaf").call("a", "half");
    after.copies("wrap", "a", 1, "y/a.cc").copies("half", "b", 3, "y/a.cc");
    Builds::new(before.finish(), after.finish())
}

/// A stripped build before, a described one after.
pub(crate) fn stripped_before() -> Builds {
    let mut before = Build::new(Visibility::DynamicSymbols, "GCC: (GNU) 4.4.7", 0);
    before.body("a", 90, "");
    let mut after = Build::new(Visibility::DebugInfo, "GNU C++17 12.2.0 -O2 -g1", 2);
    after.body("a", 120, "y/a.cc").body("b", 10, "y/a.cc");
    Builds::new(before.finish(), after.finish())
}

/// `log_write` became `log_t::write`, and grew.
pub(crate) fn renamed() -> Builds {
    let mut before = Build::new(Visibility::DebugInfo, "GNU C++ 4.1.2", 1);
    before.body("log_write", 100, "x/log.cc");
    let mut after = Build::new(Visibility::DebugInfo, "GNU C++17 12.2.0 -O2 -g1", 1);
    after.body("log_t::write", 150, "y/log.cc");
    Builds::new(before.finish(), after.finish())
}

/// A file of this path.
pub(crate) fn file(path: &str) -> BuildFile {
    BuildFile {
        path: path.to_owned(),
        object_id: "00ff".to_owned(),
        build_id: Some("00ff".to_owned()),
        debug_path: None,
    }
}

/// All rows.
pub(crate) fn view<'a>(
    comparison: &'a InlineComparison<'a>,
    before: &'a BuildFile,
    after: &'a BuildFile,
    notes: &'a Notes,
) -> InlinesView<'a> {
    static ALL: InlinesFilter = InlinesFilter { changes: Vec::new(), function: None };
    InlinesView { comparison, before, after, reasons: PerSide::default(), filter: &ALL, notes }
}

struct Build {
    builder: CensusBuilder,
    names: Vec<(String, FunctionId)>,
    addr: u64,
    described: bool,
}

impl Build {
    fn new(visibility: Visibility, producer: &str, units: u32) -> Self {
        let mut builder = CensusBuilder::new(visibility);
        builder.producer(Producer::from_text(producer, units));
        Self { builder, names: Vec::new(), addr: 0x1000, described: visibility == Visibility::DebugInfo }
    }

    fn id(&mut self, name: &str, file: &str) -> FunctionId {
        if let Some((_, id)) = self.names.iter().find(|(known, _)| known == name) {
            return *id;
        }
        let text = self.builder.text(name);
        let file = (!file.is_empty()).then(|| self.builder.text(file));
        let id = self.builder.function(FunctionFacts { file, ..FunctionFacts::named(text) });
        self.names.push((name.to_owned(), id));
        id
    }

    fn body(&mut self, name: &str, bytes: u64, file: &str) -> &mut Self {
        let id = self.id(name, file);
        self.builder.body(id, Body { described: self.described, ..Body::at(ObjectAddr(self.addr), bytes) });
        self.addr += 0x1000;
        self
    }

    fn copies(&mut self, callee: &str, caller: &str, count: u32, file: &str) -> &mut Self {
        let (callee, caller) = (self.id(callee, file), self.id(caller, file));
        self.builder.site(InlineSite { callee, caller, file: None, line: 1, count });
        self
    }

    fn call(&mut self, caller: &str, callee: &str) -> &mut Self {
        let (caller, callee) = (self.id(caller, ""), self.id(callee, ""));
        self.builder.edge(CallEdge {
            caller,
            callee,
            calls: 1,
            tail_jumps: 0,
            source: EdgeSource::Disassembly,
        });
        self
    }

    fn finish(self) -> Census {
        self.builder.finish()
    }
}
