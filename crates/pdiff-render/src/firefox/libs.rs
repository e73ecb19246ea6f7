//! The objects of a profile.

use std::collections::HashMap;

use pdiff_profile::{BuildId, Object};
use serde_json::{Value, json};

/// Objects by number, in the order of their first use.
#[derive(Default, Debug)]
pub(super) struct Libs {
    numbers: HashMap<(Box<str>, Option<BuildId>), usize>,
    objects: Vec<Object>,
}

impl Libs {
    pub(super) fn number(&mut self, object: &Object) -> usize {
        let key = (object.path.clone(), object.build_id.clone());
        *self.numbers.entry(key).or_insert_with(|| {
            self.objects.push(object.clone());
            self.objects.len() - 1
        })
    }

    pub(super) fn json(&self) -> Value {
        let lib = |object: &Object| {
            let (name, path) = (object.file_name(), &*object.path);
            json!({
                "name": name,
                "path": path,
                "debugName": name,
                "debugPath": path,
                "breakpadId": breakpad_id(object.build_id.as_ref()),
                "codeId": object.build_id.as_ref().map(ToString::to_string),
                "arch": null,
            })
        };
        self.objects.iter().map(lib).collect()
    }
}

/// The first 16 bytes of a build-id as the identifier of a symbol file: its first three parts are little-endian.
fn breakpad_id(build_id: Option<&BuildId>) -> String {
    const ORDER: [usize; 16] = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
    let bytes = build_id.map_or(&[][..], BuildId::as_bytes);
    let digits = ORDER.map(|at| format!("{:02X}", bytes.get(at).copied().unwrap_or(0)));
    format!("{}0", digits.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_of_symbol_files_are_those_of_breakpad() {
        let id = BuildId::from_hex("0123456789abcdef0123456789abcdef01234567");
        assert_eq!(breakpad_id(id.as_ref()), "67452301AB89EFCD0123456789ABCDEF0");
        assert_eq!(breakpad_id(None), "0".repeat(33));
    }
}
