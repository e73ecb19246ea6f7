// The report's call tree without a browser: node --test tests/scripts/

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import vm from "node:vm";

const source = readFileSync(new URL("../../crates/pdiff-render/assets/report_tree.js", import.meta.url), "utf8");
const names = ["readFrames", "invertedFrames", "framesAround", "outermostOf", "widthsOf", "sumFound", "roundBelow", "csvLine"];
const script = vm.runInThisContext(`"use strict"; (() => { ${source}; return { ${names.join(", ")} }; })()`);

const columns = ["parent", "function", "subsystem", "pruned_frames", "before_self_weight", "before_total_weight",
  "after_self_weight", "after_total_weight", "delta_self_pp", "self_ci_low_pp", "self_ci_high_pp", "self_significant",
  "delta_total_pp", "total_ci_low_pp", "total_ci_high_pp", "total_significant", "self_per_op_half",
  "self_per_op_significant", "total_per_op_half", "total_per_op_significant"];

/** A tree of `[name, depth, before self, after self]`; every change has an interval of one either way. */
function frames(rows) {
  const functions = [...new Set(rows.map(([name]) => name).filter(Boolean))].map((name) => ({ name, object: "app" }));
  const parents = [];
  const table = rows.map(([name, depth, before, after], index) => {
    parents[depth] = index;
    const totals = [0, 0];
    for (let at = index; at < rows.length && (at === index || rows[at][1] > depth); at += 1) {
      totals[0] += rows[at][2];
      totals[1] += rows[at][3];
    }
    const judged = (delta) => [delta, delta - 1, delta + 1, Math.abs(delta) > 1];
    return [depth ? parents[depth - 1] : null, name ? functions.findIndex((of) => of.name === name) : null, null, null,
      before, totals[0], after, totals[1], ...judged(after - before), ...judged(totals[1] - totals[0]), 1,
      Math.abs(after - before) > 1, 1, Math.abs(totals[1] - totals[0]) > 1];
  });
  return script.readFrames({ columns, functions, subsystems: [], frames: table });
}

const weigh = (frame, side, what) => frame[side][what];
const sum = (all, side, what) => all.reduce((total, frame) => total + frame[side][what], 0);

const sample = () => frames([["", 0, 0, 0], ["main", 1, 1, 1], ["f", 2, 4, 9], ["g", 3, 2, 2], ["f", 4, 1, 1], ["h", 2, 3, 0],
  ["g", 3, 5, 8]]);

test("frames know their place", () => {
  const all = sample();
  assert.deepEqual(all.map((frame) => frame.depth), [0, 1, 2, 3, 4, 2, 3]);
  assert.deepEqual(all[1].children.map((frame) => frame.name), ["f", "h"]);
  assert.equal(all[0].before.total, 16);
});

test("a tree turned round has the same weight, leaves first, each once", () => {
  const all = sample();
  const turned = script.invertedFrames(all, weigh);
  assert.equal(turned[0].before.total, 16);
  assert.equal(turned[0].after.total, 21);
  for (const side of ["before", "after"]) {
    assert.equal(sum(turned, side, "self"), all[0][side].total);
    for (const frame of turned) {
      const held = frame.children.reduce((total, child) => total + child[side].total, 0);
      assert.equal(frame[side].total, held + frame[side].self, frame.name);
    }
  }
  const leaves = turned[0].children.map((frame) => frame.name);
  assert.deepEqual([...leaves].sort(), ["f", "g", "h", "main"]);
  const g = turned[0].children.find((frame) => frame.name === "g");
  assert.deepEqual([g.before.total, g.after.total], [7, 10]);
  assert.deepEqual(g.children.map((frame) => frame.name).sort(), ["f", "h"]);
});

test("around a function its callers and its callees hold what it has, recursion once", () => {
  const all = sample();
  const f = all[2].of;
  assert.deepEqual(script.outermostOf(all, f).map((frame) => frame.index), [2]);
  const { up, down } = script.framesAround(all, f, weigh);
  assert.deepEqual([up[0].before.total, down[0].before.total, down[0].after.total], [7, 7, 12]);
  assert.deepEqual(up.map((frame) => frame.name), ["f", "main"]);
  assert.equal(up[1].after.total, 12);
  assert.deepEqual(down.map((frame) => frame.name), ["f", "g", "f"]);
  const g = script.framesAround(all, all[3].of, weigh);
  assert.deepEqual([g.up[0].before.total, g.up[0].after.total], [8, 11]);
  assert.deepEqual(g.up[0].children.map((frame) => frame.name).sort(), ["f", "h"]);
});

test("one frame keeps what was said of it, and a sum is beyond noise only if its interval is", () => {
  const all = frames([["", 0, 0, 0], ["a", 1, 0, 0], ["x", 2, 1, 5], ["b", 1, 0, 0], ["x", 2, 6, 3]]);
  const down = script.framesAround(all, all[1].of, weigh).down;
  assert.deepEqual([down[1].self.low, down[1].self.significant, down[1].joined], [3, true, 1]);
  const x = script.framesAround(all, all[2].of, weigh).down[0];
  assert.equal(x.joined, 2);
  // +4 and -3 are both beyond noise; +1 with two either way is not.
  assert.deepEqual([x.total.low, x.total.high, x.total.significant, x.total.costSignificant], [-1, 3, false, false]);
});

test("widths are the larger side, and a frame's is its own and its children's", () => {
  const all = sample();
  const widths = script.widthsOf(all, "diff", weigh, false);
  assert.equal(widths[2], 9 + 2 + 1);
  assert.equal(widths[0], 1 + 12 + 3 + 8);
  assert.equal(script.widthsOf(all, "before", weigh, false)[0], 16);
  assert.equal(script.widthsOf(all, "gone", weigh, false)[0], 0);
  const turned = script.invertedFrames(all, weigh);
  assert.equal(script.widthsOf(turned, "after", weigh, true)[0], 21);
  assert.equal(script.widthsOf(turned, "before", weigh, true)[0], 16);
});

test("what is found is summed once a stack", () => {
  const all = sample();
  const sums = script.sumFound(all, all.map((frame) => frame.name === "f"), weigh);
  assert.deepEqual({ ...sums }, { count: 2, before: 7, after: 12 });
});

test("scale bars are round", () => {
  for (const [value, expected] of [[1, 1], [1.9, 1], [2, 2], [49, 20], [50, 50], [0.07, 0.05]]) {
    assert.ok(Math.abs(script.roundBelow(value) - expected) < 1e-9, `${value}`);
  }
});

test("cells with commas, quotes and ends of line are quoted", () => {
  assert.equal(script.csvLine(["a<b, c>", 'say "x"', 1.5, null]), '"a<b, c>","say ""x""",1.5,\r\n');
});
