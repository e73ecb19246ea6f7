//! Tests of this part of the verdicts' forms.

use super::*;
use crate::verdict_sample::classification;

#[test]
fn a_line_a_function_with_lists_joined() {
    let csv = String::from_utf8(verdict_csv(&classification()).unwrap()).unwrap();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 6);
    assert!(lines[0].starts_with(
        "function,object,file,rule_id,cause,confidence,limited_by,reason,judged_by,callers,tags,"
    ));
    assert!(lines[3].starts_with("slower,mysqld,sql/x.cc,R-test,heavier,likely,only 3 samples,why slower,self,caller_a; caller_b,spin-wait; compiler-change,yes,not-visible,true,true,"));
    assert!(lines[3].contains(",2.0,2.0,4.0,1.5,2.5,0.01"), "{}", lines[3]);
}
