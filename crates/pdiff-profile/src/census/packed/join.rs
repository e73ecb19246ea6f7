//! Joins parts of one census: each run packs the part that it needs.
//!
//! Parts contain the same out-of-line functions in the same order, and differ in functions that are only inlined. A
//! function that one part left out is taken from another part that has it.

use rustc_hash::FxHashMap;

use crate::census::builder::CensusBuilder;
use crate::census::function::Function;
use crate::census::function_facts::{FunctionFacts, FunctionId};
use crate::census::site::InlineSite;
use crate::census::table::Census;
use crate::census::text::TextId;

impl Census {
    /// Joins the contents of two parts of one build's census. Parts of different builds give nonsense.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        let mut builder = CensusBuilder::new(self.visibility);
        builder.coverage(self.coverage);
        for producer in &self.producers {
            builder.producer(producer.clone());
        }
        let own = Copier::copy(&mut builder, self, |_| None);
        // Namesakes are in one order in both.
        let mut known: FxHashMap<&str, Vec<FunctionId>> = FxHashMap::default();
        for (function, id) in self.functions().zip(&own) {
            known.entry(function.name()).or_default().push(*id);
        }
        let mut seen: FxHashMap<&str, usize> = FxHashMap::default();
        Copier::copy(&mut builder, other, |function| {
            let ids = known.get(function.name())?;
            let place = seen.entry(function.name()).or_default();
            *place += 1;
            ids.get(*place - 1).copied()
        });
        let mut joined = builder.finish();
        joined.left_out = self.left_out.of_both(&other.left_out);
        joined
    }
}

/// Rows on their way from a census to a builder.
struct Copier<'a, 'b> {
    census: &'a Census,
    builder: &'b mut CensusBuilder,
    texts: FxHashMap<TextId, TextId>,
    is_first: bool,
}

impl<'a, 'b> Copier<'a, 'b> {
    /// Copies the functions that are not there already, with their rows; the new ids of all.
    fn copy(
        builder: &'b mut CensusBuilder,
        census: &'a Census,
        mut known: impl FnMut(Function<'a>) -> Option<FunctionId>,
    ) -> Vec<FunctionId> {
        let is_first = builder.is_empty();
        let mut copier = Copier { census, builder, texts: FxHashMap::default(), is_first };
        let mut ids = Vec::with_capacity(census.functions.len());
        let mut is_added = Vec::with_capacity(census.functions.len());
        for function in census.functions() {
            let there = known(function);
            is_added.push(there.is_none());
            ids.push(there.unwrap_or_else(|| copier.function(function.facts)));
        }
        let new = |id: FunctionId| ids.get(id.index()).copied().unwrap_or(id);
        for function in census.functions().zip(&is_added).filter(|(_, added)| **added).map(|(f, _)| f) {
            let id = new(function.id());
            census.bodies_of(function.id()).iter().for_each(|body| copier.builder.body(id, *body));
            for site in census.sites_of(function.id()) {
                let file = copier.text(site.file);
                copier.builder.site(InlineSite { callee: id, caller: new(site.caller), file, ..*site });
            }
            for edge in census.calls_from(function.id()) {
                let (caller, callee) = (id, new(edge.callee));
                copier.builder.edge(crate::census::edge::CallEdge { caller, callee, ..*edge });
            }
        }
        ids
    }

    fn text(&mut self, id: Option<TextId>) -> Option<TextId> {
        let id = id?;
        let census = self.census;
        let builder = &mut *self.builder;
        Some(*self.texts.entry(id).or_insert_with(|| builder.text(census.text(id))))
    }

    fn function(&mut self, facts: &FunctionFacts) -> FunctionId {
        let name = self.builder.text(self.census.text(facts.name));
        let (parameters, linkage_name) = (self.text(facts.parameters), self.text(facts.linkage_name));
        let file = self.text(facts.file);
        // Only functions with code have aliases, and these are all of the first part, whose ids stay.
        let alias_of = facts.alias_of.filter(|_| self.is_first);
        self.builder.function(FunctionFacts { name, parameters, linkage_name, file, alias_of, ..*facts })
    }
}
