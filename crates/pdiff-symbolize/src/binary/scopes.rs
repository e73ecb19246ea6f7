//! The scopes of functions: the namespaces, classes and functions of a unit that are part of their names.

use gimli::{AttributeValue, DwTag, UnitOffset};
use rustc_hash::FxHashMap;

use crate::binary::dwarf::Slice;
use crate::binary::entries::{Entries, Entry};
use crate::binary::reference::Reference;
use crate::binary::scoped_name::Around;
use crate::binary::strings::{RawText, Strings};

/// Most scopes around a function that its name tells.
pub(crate) const MAX_SCOPES: usize = 64;

/// A namespace, a class or a function around others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope<'a> {
    pub(crate) offset: UnitOffset,
    pub(crate) parent: Option<u32>,
    pub(crate) kind: ScopeKind,
    pub(crate) name: RawText<'a>,
    /// Of a class: its number among the unnamed ones of its parent.
    number: u32,
    /// The declaration that has the name, where this has none.
    declaration: Option<UnitOffset>,
}

/// What a scope is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ScopeKind {
    Namespace,
    Class,
    Function,
}

/// The scopes of a unit, in the order of the file.
#[derive(Debug, Default)]
pub(crate) struct Scopes<'a> {
    scopes: Vec<Scope<'a>>,
    /// How many unnamed classes are in a scope so far.
    unnamed: FxHashMap<Option<u32>, u32>,
}

/// The kind of scope that an entry with this tag is, functions aside.
pub(crate) fn kind_of(tag: DwTag) -> Option<ScopeKind> {
    match tag {
        gimli::DW_TAG_namespace | gimli::DW_TAG_module => Some(ScopeKind::Namespace),
        gimli::DW_TAG_class_type
        | gimli::DW_TAG_structure_type
        | gimli::DW_TAG_union_type
        | gimli::DW_TAG_interface_type
        | gimli::DW_TAG_enumeration_type => Some(ScopeKind::Class),
        _ => None,
    }
}

impl<'a> Scopes<'a> {
    /// Forgets the scopes and keeps their memory.
    pub(crate) fn clear(&mut self) {
        self.scopes.clear();
        self.unnamed.clear();
    }

    /// Adds a namespace or class, whose attributes are read; its number.
    pub(crate) fn add<'r>(
        &mut self,
        entries: &mut Entries<'r, 'a>,
        entry: &Entry<'r>,
        kind: ScopeKind,
        parent: Option<u32>,
        text: impl Fn(AttributeValue<Slice<'a>>) -> gimli::Result<RawText<'a>>,
    ) -> gimli::Result<u32> {
        let mut scope =
            Scope { offset: entry.offset, parent, kind, name: RawText::Absent, number: 0, declaration: None };
        let wanted = |name| matches!(name, gimli::DW_AT_name | gimli::DW_AT_specification);
        entries.read(wanted, |name, value| {
            match name {
                gimli::DW_AT_name => scope.name = text(value)?,
                gimli::DW_AT_specification => {
                    if let Some(Reference::Unit(offset)) = Reference::from_value(&value) {
                        scope.declaration = Some(offset);
                    }
                }
                _ => {}
            }
            Ok(())
        })?;
        if kind == ScopeKind::Class && entry.tag() != gimli::DW_TAG_enumeration_type {
            let number = self.unnamed.entry(parent).or_default();
            *number += u32::from(scope.name.is_absent());
            scope.number = *number;
        }
        Ok(self.push(scope))
    }

    /// Adds a function, as something that others are in.
    pub(crate) fn add_function(&mut self, offset: UnitOffset, parent: Option<u32>, name: RawText<'a>) -> u32 {
        self.push(Scope { offset, parent, kind: ScopeKind::Function, name, number: 0, declaration: None })
    }

    fn push(&mut self, scope: Scope<'a>) -> u32 {
        self.scopes.push(scope);
        u32::try_from(self.scopes.len() - 1).unwrap_or(u32::MAX)
    }

    /// A scope, and its declaration, which is itself where it declares itself.
    fn get(&self, index: Option<u32>) -> Option<(&Scope<'a>, &Scope<'a>)> {
        let scope = self.scopes.get(index? as usize)?;
        let declaration = scope.declaration.and_then(|offset| self.at(offset));
        Some((scope, declaration.unwrap_or(scope)))
    }

    fn at(&self, offset: UnitOffset) -> Option<&Scope<'a>> {
        let found = self.scopes.binary_search_by_key(&offset, |scope| scope.offset).ok()?;
        self.scopes.get(found)
    }

    /// The names of the scopes from `first` outwards, at most [`MAX_SCOPES`].
    pub(crate) fn names(&self, first: Option<u32>) -> impl Iterator<Item = RawText<'a>> {
        let mut next = self.get(first);
        let each = move || {
            let (scope, declaration) = next?;
            next = self.get(declaration.parent);
            Some(declaration.name.or(scope.name))
        };
        std::iter::from_fn(each).take(MAX_SCOPES)
    }

    /// What stands around a function in scope `first`, outermost first. `function` tells the name of a function around a
    /// class by its entry, and the scope that it is in itself.
    pub(crate) fn around(
        &self,
        first: Option<u32>,
        strings: &Strings<'a>,
        function: impl Fn(UnitOffset) -> (RawText<'a>, Option<u32>),
    ) -> Vec<Around> {
        let mut around: Vec<Around> = Vec::new();
        let name = |text: RawText<'a>| Some(strings.get(text)).filter(|name| !name.is_empty()).map(Box::from);
        let mut next = first;
        for _ in 0..MAX_SCOPES {
            let Some((scope, declaration)) = self.get(next) else { break };
            next = declaration.parent;
            match scope.kind {
                ScopeKind::Namespace => around.push(Around::Namespace(name(declaration.name.or(scope.name)))),
                ScopeKind::Class => {
                    around.push(Around::Class(name(declaration.name.or(scope.name)), scope.number));
                }
                // A function counts where a class is in it: a lambda's, say.
                ScopeKind::Function if around.is_empty() => {}
                ScopeKind::Function => {
                    let (text, outer) = function(scope.offset);
                    around.push(Around::Function(name(text)));
                    next = outer;
                }
            }
        }
        around.reverse();
        around
    }
}
