//! JSON that is inside HTML, and what it takes there.

use serde_json::Value;

use crate::document::visible_text::is_hidden;

/// Longest text, in characters; of a longer one the start is kept.
const MOST_CHARACTERS: usize = 2000;

/// Rounds real numbers to five significant digits, and cuts texts that are too long for a page.
pub(super) fn economise(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            let rounded = number.as_f64().and_then(|number| format!("{number:.4e}").parse::<f64>().ok());
            if let Some(rounded) = rounded {
                *value = Value::from(rounded);
            }
        }
        Value::String(text) => cut(text),
        Value::Array(values) => values.iter_mut().for_each(economise),
        Value::Object(keys) => keys.values_mut().for_each(economise),
        _ => {}
    }
}

/// The same text is cut the same way wherever it stands, so that names still find each other.
fn cut(text: &mut String) {
    if let Some((end, _)) = text.char_indices().nth(MOST_CHARACTERS) {
        let more = text[end..].chars().count();
        text.truncate(end);
        text.push_str(&format!("[{more} characters more]"));
    }
}

/// Bytes of a value inside HTML, with the comma after it.
pub(super) fn bytes(value: &Value) -> usize {
    without_markup(&value.to_string()).len() + 1
}

/// JSON in which no character starts or ends markup, ends a line of a script, or is invisible.
pub(super) fn without_markup(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + json.len() / 50);
    for c in json.chars() {
        match c {
            '<' | '>' | '&' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            _ if is_hidden(c) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
            _ => out.push(c),
        }
    }
    out
}

/// Cuts lists, the longest first, until the value takes no more than `most_bytes`; each list cut says by how much in
/// a key beside it. Gives the number of entries left out.
pub(super) fn shorten_lists(value: &mut Value, most_bytes: usize) -> usize {
    let mut left_out = 0;
    let mut most_of_a_list = most_bytes;
    while bytes(value) > most_bytes && most_of_a_list > 0 {
        most_of_a_list /= 2;
        left_out += cut_lists(value, most_of_a_list);
    }
    left_out
}

fn cut_lists(value: &mut Value, most_bytes: usize) -> usize {
    match value {
        // What is in an entry must leave room for the entry.
        Value::Array(values) => values.iter_mut().map(|one| cut_lists(one, most_bytes / 2)).sum(),
        Value::Object(keys) => {
            let mut cut = Vec::new();
            let mut sum = 0;
            for (key, one) in keys.iter_mut() {
                sum += cut_lists(one, most_bytes);
                let Value::Array(values) = one else { continue };
                let mut room = most_bytes;
                let fits = |one: &&Value| {
                    let price = bytes(one);
                    let fits = price <= room;
                    room = room.saturating_sub(price);
                    fits
                };
                let kept = values.iter().take_while(fits).count();
                if kept < values.len() {
                    cut.push((format!("{key}_left_out"), values.len() - kept));
                    values.truncate(kept);
                }
            }
            for (key, count) in cut {
                sum += count;
                let before = keys.get(&key).and_then(Value::as_u64).unwrap_or(0);
                keys.insert(key, Value::from(before + count as u64));
            }
            sum
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn json_inside_html_is_the_same_json_without_markup() {
        let hostile =
            json!({"name": "</script><!-- & \u{2028}", "pct": 1.2345678, "weight": 12_345_678_901_u64});
        let text = without_markup(&hostile.to_string());
        assert!(!text.contains(['<', '>', '&', '\u{2028}']));
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), hostile);
        let mut rounded = hostile;
        economise(&mut rounded);
        assert_eq!(
            (rounded["pct"].as_f64(), rounded["weight"].as_u64()),
            (Some(1.2346), Some(12_345_678_901))
        );
    }

    #[test]
    fn long_texts_are_cut_and_say_so() {
        let mut texts = json!(["a".repeat(2000), "é".repeat(2003)]);
        economise(&mut texts);
        assert_eq!(texts[0].as_str(), Some("a".repeat(2000).as_str()));
        assert!(texts[1].as_str().is_some_and(|text| text.ends_with("éé[3 characters more]")));
    }

    #[test]
    fn the_longest_lists_are_cut_first_and_say_by_how_much() {
        let long: Vec<String> = (0..1000).map(|n| format!("entry {n}")).collect();
        let mut value = json!({"short": ["kept"], "in": [{"long": long}], "number": 7});
        let whole = value.clone();
        assert_eq!((shorten_lists(&mut value, 1_000_000), &value), (0, &whole));
        let left_out = shorten_lists(&mut value, 3000);
        assert!(bytes(&value) <= 3000);
        let (list, key) = (&value["in"][0]["long"], &value["in"][0]["long_left_out"]);
        assert_eq!(list.as_array().unwrap().len() + left_out, 1000);
        assert_eq!((key.as_u64(), &value["short"]), (Some(left_out as u64), &json!(["kept"])));
        shorten_lists(&mut value, 100);
        assert!(bytes(&value) <= 100, "{value}");
    }
}
