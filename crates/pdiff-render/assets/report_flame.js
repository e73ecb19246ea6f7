// The flame graph: roots on top. Widths and colours come from data.tree; see docs/flame.md.

const tree = data.tree;
const column = Object.fromEntries(tree.columns.map((name, index) => [name, index]));
const frames = tree.frames.map((row, index) => ({
  index, parent: row[column.parent], children: [], depth: 0, row,
  before: row[column.before_total_weight] / Math.max(1, tree.before.weight),
  after: row[column.after_total_weight] / Math.max(1, tree.after.weight),
  name: row[column.function] !== null ? tree.functions[row[column.function]].name
    : row[column.subsystem] !== null ? tree.subsystems[row[column.subsystem]]
      : row[column.pruned_frames] !== null ? "[pruned]" : "all",
}));
for (const frame of frames) {
  if (frame.parent === null) continue;
  frame.depth = frames[frame.parent].depth + 1;
  frames[frame.parent].children.push(frame);
}

const MORE = "\u25b2 ";
const LESS = "\u25bc ";
const LEVEL = 19;
const CHARACTER = 7.3;
const LEAST_PIXELS = 0.8;
const flame = { view: "diff", color: "total", zoom: 0, current: 0, search: null };

/** By frame: its part of the whole in a view. A frame's is its own and its children's. */
function widths(view) {
  const own = frames.map(({ row }) => {
    const before = row[column.before_self_weight] / Math.max(1, tree.before.weight);
    const after = row[column.after_self_weight] / Math.max(1, tree.after.weight);
    if (view === "after") return after;
    if (view === "before") return before;
    if (view === "gone") return row[column.after_total_weight] === 0 ? before : 0;
    return Math.max(before, after);
  });
  for (let index = frames.length - 1; index > 0; index -= 1) own[frames[index].parent] += own[index];
  return own;
}

const change = (frame) => frame.row[column[`delta_${flame.color}_pp`]];
const isSignificant = (frame) => frame.row[column[`${flame.color}_significant`]] === true;

/** The direction of a change, for eyes and printers that do not tell blue from orange. */
function mark(frame) {
  if (frame.parent === null || !isSignificant(frame) || frame.row[column.pruned_frames] !== null) return "";
  return change(frame) > 0 ? MORE : LESS;
}

function fill(frame, full) {
  if (frame.parent === null || frame.name === "[pruned]") return "var(--plain)";
  const isNew = frame.row[column.before_total_weight] === 0;
  const isGone = frame.row[column.after_total_weight] === 0;
  if (!isSignificant(frame)) return isNew ? "url(#new-noise)" : isGone ? "url(#gone-noise)" : "var(--noise)";
  if (isNew) return "url(#new)";
  if (isGone) return "url(#gone)";
  const delta = change(frame);
  const strength = Math.max(0.15, Math.min(1, Math.sqrt(Math.abs(delta) / full)));
  const hue = delta > 0 ? "var(--more)" : "var(--less)";
  return `color-mix(in srgb, ${hue} ${Math.round(100 * strength)}%, var(--ground))`;
}

const SVG = "http://www.w3.org/2000/svg";
function shape(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function hatchings() {
  const defs = shape("defs", {});
  for (const [id, hue, angle] of [["new", "more", 45], ["gone", "less", -45]]) {
    for (const suffix of ["", "-noise"]) {
      const line = suffix ? "var(--dim)" : `var(--${hue})`;
      const pattern = shape("pattern", { id: id + suffix, width: 7, height: 7, patternUnits: "userSpaceOnUse",
        patternTransform: `rotate(${angle})` });
      const ground = shape("rect", { width: 7, height: 7 });
      ground.style.cssText = `stroke:none;fill:color-mix(in srgb, ${line} ${suffix ? 15 : 30}%, var(--ground))`;
      const stripe = shape("rect", { width: 2, height: 7 });
      stripe.style.cssText = `stroke:none;fill:color-mix(in srgb, ${line} ${suffix ? 35 : 75}%, var(--ground))`;
      pattern.append(ground, stripe);
      defs.append(pattern);
    }
  }
  return defs;
}

let drawn = [];

function drawFlame() {
  const width = Math.max(200, byId("graph").clientWidth);
  const share = widths(flame.view);
  const full = Math.max(1e-9, ...frames.filter((frame) => isSignificant(frame)).map((frame) => Math.abs(change(frame))));
  const found = flame.search ? frames.map((frame) => flame.search.test(frame.name)) : null;
  const places = [];
  const above = [];
  for (let at = frames[flame.zoom].parent; at !== null; at = frames[at].parent) above.unshift(frames[at]);
  for (const frame of above) places.push({ frame, x: 0, width, above: true });
  const waiting = share[flame.zoom] > 0 ? [{ frame: frames[flame.zoom], x: 0, width }] : [];
  while (waiting.length) {
    const place = waiting.pop();
    places.push(place);
    let x = place.x;
    for (const child of place.frame.children) {
      const part = share[child.index] / share[place.frame.index] * place.width;
      if (part >= LEAST_PIXELS) waiting.push({ frame: child, x, width: part });
      x += part;
    }
  }
  const depth = places.reduce((deepest, place) => Math.max(deepest, place.frame.depth), 0);
  const picture = shape("svg", { viewBox: `0 0 ${width} ${(depth + 1) * LEVEL}`, height: (depth + 1) * LEVEL });
  picture.append(hatchings());
  for (const place of places) picture.append(drawFrame(place, full, found));
  if (!places.length) picture.append(Object.assign(shape("text", { x: 8, y: 14 }), { textContent: "no such stack" }));
  byId("graph").replaceChildren(picture);
  drawn = places;
  byId("unzoom").disabled = flame.zoom === 0;
  tellFound(found, share);
  moveTo(places.some((place) => place.frame.index === flame.current) ? flame.current : flame.zoom);
}

function drawFrame({ frame, x, width, above }, full, found) {
  const group = shape("g", { "data-frame": frame.index });
  if (above) group.classList.add("above");
  if (found && found[frame.index]) group.classList.add("match");
  const rect = shape("rect", { x: x.toFixed(2), y: frame.depth * LEVEL, width: width.toFixed(2), height: LEVEL - 1 });
  rect.style.fill = fill(frame, full);
  group.append(rect);
  const fitting = Math.floor((width - 6) / CHARACTER);
  if (fitting >= 3) {
    const name = mark(frame) + visible(frame.name);
    const text = shape("text", { x: (x + 3).toFixed(2), y: frame.depth * LEVEL + 13 });
    text.textContent = name.length > fitting ? name.slice(0, fitting - 2) + ".." : name;
    group.append(text);
  }
  group.addEventListener("click", () => { flame.current = frame.index; zoomTo(frame.index); });
  group.addEventListener("mouseenter", () => tell(frame));
  return group;
}

/** Part of the picture under frames found, each stack once. */
function tellFound(found, share) {
  if (!found) { byId("found").textContent = ""; return; }
  const under = new Array(frames.length).fill(false);
  let sum = 0;
  for (const frame of frames) {
    const parent = frame.parent === null ? false : under[frame.parent];
    if (found[frame.index] && !parent) sum += share[frame.index];
    under[frame.index] = parent || found[frame.index];
  }
  const count = found.filter(Boolean).length;
  const part = share[0] > 0 ? 100 * sum / share[0] : 0;
  byId("found").textContent = `${count} frames, ${fixed(part, 2)} % of the width`;
}

function tell(frame) {
  const of = frame.row[column.function] !== null ? tree.functions[frame.row[column.function]] : null;
  const parts = [];
  if (of) parts.push(of.object);
  if (frame.row[column.pruned_frames] !== null) parts.push(`${frame.row[column.pruned_frames]} narrow frames together`);
  parts.push(`total ${fixed(100 * frame.before, 2)} -> ${fixed(100 * frame.after, 2)} % of all samples`);
  for (const measure of ["total", "self"]) {
    const delta = frame.row[column[`delta_${measure}_pp`]];
    if (delta === null || frame.parent === null) continue;
    const low = frame.row[column[`${measure}_ci_low_pp`]];
    const high = frame.row[column[`${measure}_ci_high_pp`]];
    const noise = frame.row[column[`${measure}_significant`]] ? "" : ", within noise";
    parts.push(`${measure} ${signed(delta, 2)} points (95 % ${signed(low, 2)}..${signed(high, 2)})${noise}`);
  }
  const told = of && verdictsByName.get(keyOf(of.name, of.object));
  const line = byId("frame");
  line.replaceChildren(element("b", { class: "name" }, frame.name), " " + parts.map(visible).join("; "));
  if (told) {
    const { verdict, index } = told;
    line.append("; ", element("a", { href: "#v" + index }, `${verdict.cause}, ${verdict.confidence}`), ": ", visible(verdict.reason));
  }
}

function moveTo(index) {
  flame.current = index;
  for (const group of byId("graph").querySelectorAll("g.current")) group.classList.remove("current");
  const group = byId("graph").querySelector(`g[data-frame="${index}"]`);
  if (group) group.classList.add("current");
  tell(frames[index]);
}

function zoomTo(index) {
  flame.zoom = index;
  drawFlame();
}

function searchFor(pattern) {
  byId("search").value = pattern;
  try {
    flame.search = pattern ? new RegExp(pattern) : null;
  } catch {
    flame.search = null;
    drawFlame();
    byId("found").textContent = "not a regular expression";
    return;
  }
  drawFlame();
}

/** Arrows go to the caller, the widest callee, and the neighbours. */
function pressed(event) {
  const frame = frames[flame.current];
  const shown = new Map(drawn.map((place) => [place.frame.index, place.width]));
  const siblings = frame.parent === null ? [frame] : frames[frame.parent].children.filter((one) => shown.has(one.index));
  const at = siblings.indexOf(frame);
  const widest = frame.children.filter((one) => shown.has(one.index))
    .reduce((best, one) => (!best || shown.get(one.index) > shown.get(best.index) ? one : best), null);
  const target = { ArrowUp: frame.parent === null ? null : frames[frame.parent], ArrowDown: widest,
    ArrowLeft: siblings[at - 1], ArrowRight: siblings[at + 1] }[event.key];
  if (event.key === "Enter") zoomTo(flame.current);
  else if (event.key === "Escape") zoomTo(0);
  else if (target) moveTo(target.index);
  else if (!event.key.startsWith("Arrow")) return;
  event.preventDefault();
}
