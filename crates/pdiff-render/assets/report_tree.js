// The call tree: frames, what they weigh, and other trees that are made of it. Nothing here touches the page, so it is
// tested on its own (tests/scripts).

/**
 * @typedef {{low: number|null, high: number|null, significant: boolean, half: number|null, costSignificant: boolean}} Judged
 * Bounds of the change of share in points; half the interval of the change per operation.
 * @typedef {{self: number, total: number}} Weight
 * @typedef {{index: number, id: string, parent: number|null, children: Frame[], depth: number, name: string,
 *   of: {name: string, object: string, presence?: string}|null, pruned: number|null, before: Weight, after: Weight,
 *   self: Judged, total: Judged, joined: number}} Frame
 */

/** @type {("before"|"after")[]} */
const SIDES = ["before", "after"];
/** @type {("self"|"total")[]} */
const MEASURES = ["self", "total"];

/**
 * What a frame weighs on one side, in the page's measure.
 * @typedef {(frame: Frame, side: "before"|"after", what: "self"|"total") => number} Weigh
 */

/**
 * The frames of the page's data.
 * @param {any} tree @returns {Frame[]}
 */
function readFrames(tree) {
  const column = Object.fromEntries(tree.columns.map((/** @type {string} */ name, /** @type {number} */ index) => [name, index]));
  /** @type {Frame[]} */
  const frames = tree.frames.map((/** @type {any[]} */ row, /** @type {number} */ index) => {
    const at = (/** @type {string} */ name) => row[column[name]];
    const weight = (/** @type {string} */ side) => ({ self: at(`${side}_self_weight`), total: at(`${side}_total_weight`) });
    const judged = (/** @type {string} */ what) => ({
      low: at(`${what}_ci_low_pp`), high: at(`${what}_ci_high_pp`), significant: at(`${what}_significant`) === true,
      half: at(`${what}_per_op_half`), costSignificant: at(`${what}_per_op_significant`) === true,
    });
    const of = at("function") === null ? null : tree.functions[at("function")];
    const name = of ? of.name : at("subsystem") !== null ? tree.subsystems[at("subsystem")]
      : at("pruned_frames") !== null ? "[pruned]" : "all";
    return { index, id: String(index), parent: at("parent"), children: [], depth: 0, name, of, pruned: at("pruned_frames"),
      before: weight("before"), after: weight("after"), self: judged("self"), total: judged("total"), joined: 1 };
  });
  for (const frame of frames) {
    if (frame.parent === null) continue;
    frame.depth = frames[frame.parent].depth + 1;
    frames[frame.parent].children.push(frame);
  }
  return frames;
}

/** @returns {Judged} */
const nothingJudged = () => ({ low: 0, high: 0, significant: false, half: 0, costSignificant: false });

/**
 * What frames have in common that are one in another tree.
 * @param {Frame} frame
 */
const joinKey = (frame) => (frame.pruned !== null ? "pruned" : frame.of ? `${frame.name}\u0000${frame.of.object}` : frame.name);

/** A tree that joins frames of another one; `prefix` tells its frames from those of others. */
class JoinedTree {
  /** @param {string} prefix @param {Frame} root */
  constructor(prefix, root) {
    this.prefix = prefix;
    /** @type {Frame[]} */
    this.frames = [];
    /** @type {Map<string, Frame>} */
    this.places = new Map();
    this.open(root, null);
  }

  /** @param {Frame} frame @param {number|null} parent @returns {Frame} */
  open(frame, parent) {
    const index = this.frames.length;
    /** @type {Frame} */
    const made = { index, id: this.prefix + index, parent, children: [], depth: parent === null ? 0 : this.frames[parent].depth + 1,
      name: frame.name, of: frame.of, pruned: frame.pruned, before: { self: 0, total: 0 }, after: { self: 0, total: 0 },
      self: nothingJudged(), total: nothingJudged(), joined: 0 };
    this.frames.push(made);
    if (parent !== null) this.frames[parent].children.push(made);
    return made;
  }

  /** @param {Frame} parent @param {Frame} frame @returns {Frame} */
  child(parent, frame) {
    const key = `${parent.index}\u0000${joinKey(frame)}`;
    const known = this.places.get(key) ?? this.open(frame, parent.index);
    this.places.set(key, known);
    return known;
  }

  /**
   * Adds a frame's weight. What is said of the sum is no more than what the sum of the intervals says.
   * @param {Frame} to @param {Frame} from @param {"self"|"total"} what @param {"self"|"total"} as
   */
  static add(to, from, what, as = what) {
    for (const side of SIDES) to[side][as] += from[side][what];
    const [sum, one] = [to[as], from[what]];
    const plus = (/** @type {number|null} */ a, /** @type {number|null} */ b) => (a === null || b === null ? null : a + b);
    to[as] = { low: plus(sum.low, one.low), high: plus(sum.high, one.high), half: plus(sum.half, one.half),
      significant: sum.significant || one.significant, costSignificant: sum.costSignificant || one.costSignificant };
    if (as === "total") to.joined += 1;
  }

  /**
   * Ends: the widest children first; a sum of several is beyond noise if one of them is, and its interval does not hold zero.
   * @param {Weigh} weigh
   */
  done(weigh) {
    const size = (/** @type {Frame} */ frame) => (frame.pruned !== null ? -1 : Math.max(weigh(frame, "before", "total"), weigh(frame, "after", "total")));
    for (const frame of this.frames) {
      frame.children.sort((a, b) => size(b) - size(a) || a.index - b.index);
      if (frame.joined < 2) continue;
      for (const what of MEASURES) {
        const judged = frame[what];
        judged.significant = judged.significant && ((judged.low ?? 0) > 0 || (judged.high ?? 0) < 0);
        judged.costSignificant = judged.costSignificant && judged.half !== null &&
          Math.abs(weigh(frame, "after", what) - weigh(frame, "before", what)) > judged.half;
      }
    }
    return this.frames;
  }
}

/**
 * The callers of a frame, nearest first, without the root.
 * @param {Frame[]} frames @param {Frame} frame @returns {Frame[]}
 */
function callersOf(frames, frame) {
  /** @type {Frame[]} */
  const callers = [];
  for (let at = frame.parent; at !== null && frames[at].parent !== null; at = frames[at].parent) callers.push(frames[at]);
  return callers;
}

/**
 * The tree turned round: leaf functions at the root, their callers below.
 * @param {Frame[]} frames @param {Weigh} weigh
 */
function invertedFrames(frames, weigh) {
  const inverted = new JoinedTree("i", frames[0]);
  const root = inverted.frames[0];
  for (const frame of frames) {
    if (frame.parent === null || frame.before.self + frame.after.self === 0) continue;
    JoinedTree.add(root, frame, "self", "total");
    let at = root;
    for (const step of [frame, ...callersOf(frames, frame)]) {
      at = inverted.child(at, step);
      JoinedTree.add(at, frame, "self", "total");
    }
    JoinedTree.add(at, frame, "self");
  }
  return inverted.done(weigh);
}

/**
 * The outermost frames of a function.
 * @param {Frame[]} frames @param {Frame["of"]} of
 */
function outermostOf(frames, of) {
  const inside = new Array(frames.length).fill(false);
  return frames.filter((frame) => {
    const isBelow = frame.parent !== null && inside[frame.parent];
    inside[frame.index] = isBelow || frame.of === of;
    return frame.of === of && !isBelow;
  });
}

/**
 * A function in the middle: the tree of its callers, and the tree of what it calls.
 * @param {Frame[]} frames @param {Frame["of"]} of @param {Weigh} weigh
 */
function framesAround(frames, of, weigh) {
  const own = outermostOf(frames, of);
  const [up, down] = ["u", "d"].map((prefix) => new JoinedTree(prefix, own[0]));
  for (const frame of own) {
    for (const what of MEASURES) [up, down].forEach((tree) => JoinedTree.add(tree.frames[0], frame, what));
    let at = up.frames[0];
    for (const step of callersOf(frames, frame)) {
      at = up.child(at, step);
      JoinedTree.add(at, frame, "total");
    }
    /** @type {[Frame, Frame][]} */
    const waiting = frame.children.map((child) => [down.frames[0], child]);
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [parent, child] = next;
      const made = down.child(parent, child);
      JoinedTree.add(made, child, "total");
      JoinedTree.add(made, child, "self");
      for (const below of child.children) waiting.push([made, below]);
    }
  }
  return { up: up.done(weigh), down: down.done(weigh) };
}

/**
 * By frame: its width in a view. It is the sum of the widths of its children and of its own, or of its children alone
 * where they hold all of it, as callers do.
 * @param {Frame[]} frames @param {string} view @param {Weigh} weigh @param {boolean} isOfChildren @returns {number[]}
 */
function widthsOf(frames, view, weigh, isOfChildren) {
  const width = (/** @type {number} */ before, /** @type {number} */ after, /** @type {boolean} */ isGone) => {
    if (view === "after") return after;
    if (view === "before") return before;
    if (view === "gone") return isGone ? before : 0;
    return Math.max(before, after);
  };
  const own = frames.map((frame) => {
    const held = (/** @type {"before"|"after"} */ side) => (isOfChildren ? frame.children.reduce((sum, child) => sum + weigh(child, side, "total"), 0) : 0);
    const left = (/** @type {"before"|"after"} */ side) => (isOfChildren ? Math.max(0, weigh(frame, side, "total") - held(side)) : weigh(frame, side, "self"));
    return width(left("before"), left("after"), frame.after.total === 0);
  });
  for (let index = frames.length - 1; index > 0; index -= 1) own[frames[index].parent ?? 0] += own[index];
  return own;
}

/**
 * How many frames are found, and what both sides spend in them, each stack once.
 * @param {Frame[]} frames @param {boolean[]} found @param {Weigh} weigh
 */
function sumFound(frames, found, weigh) {
  const under = new Array(frames.length).fill(false);
  const sums = { count: 0, before: 0, after: 0 };
  for (const frame of frames) {
    const isBelow = frame.parent === null ? false : under[frame.parent];
    if (found[frame.index]) sums.count += 1;
    if (found[frame.index] && !isBelow) {
      for (const side of SIDES) sums[side] += weigh(frame, side, "total");
    }
    under[frame.index] = isBelow || found[frame.index];
  }
  return sums;
}

/**
 * The largest of 1, 2 and 5 times a power of ten that is not over a value.
 * @param {number} value
 */
function roundBelow(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([5, 2, 1].find((step) => step * power <= value * (1 + 1e-12)) ?? 1) * power;
}

/**
 * One line of CSV (RFC 4180).
 * @param {unknown[]} cells
 */
const csvLine = (cells) => cells.map((cell) => {
  const text = cell === null || cell === undefined ? "" : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}).join(",") + "\r\n";
