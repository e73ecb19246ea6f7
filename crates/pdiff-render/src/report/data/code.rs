//! The code of functions in both builds, as far as a page has room for it.

use serde_json::Value;

use super::json_text::{bytes, economise};
use crate::error::Error;
use crate::files::written_bytes::json_value;
use crate::report::ReportInput;
use crate::verdicts::code_json::{CodeExtent, FunctionCodeReport};

/// Bytes that code takes at most.
const MOST_BYTES: usize = 200_000;

/// Code blocks of a function: those with the largest changes.
const MOST_BLOCKS: usize = 5;

/// The code of the first functions that fit, and how many are left out.
pub(super) fn value(input: &ReportInput<'_>) -> Result<(Value, Value), Error> {
    let mut room = MOST_BYTES;
    let mut all = Vec::new();
    for of in input.code {
        let report = FunctionCodeReport::new(of, input.texts, CodeExtent::Blocks(MOST_BLOCKS));
        let mut value = json_value(&report)?;
        economise(&mut value);
        let Some(left) = room.checked_sub(bytes(&value)) else { break };
        room = left;
        all.push(value);
    }
    let left_out = input.code.len() - all.len();
    Ok((Value::Array(all), Value::from(left_out)))
}
