// The flame graph: roots on top. Widths and colours come from data.tree, in the page's measure; see docs/flame.md.

const tree = data.tree;
const column = Object.fromEntries(tree.columns.map((name, index) => [name, index]));
const frames = tree.frames.map((row, index) => ({
  index, parent: row[column.parent], children: [], depth: 0, row,
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
/** A change beyond noise has at least this part of its colour; noise is paler than that. */
const LEAST_STRENGTH = 0.4;
/** So many of the frames beyond noise lie within the colour scale: a change of everything must not take all of it. */
const SCALE_PART = 0.95;
const flame = { view: "diff", color: "total", zoom: 0, current: 0, search: null };

const isPruned = (frame) => frame.row[column.pruned_frames] !== null;
const functionOf = (frame) => (frame.row[column.function] === null ? null : tree.functions[frame.row[column.function]]);
const isNew = (frame) => frame.row[column.before_total_weight] === 0;
const isGone = (frame) => frame.row[column.after_total_weight] === 0;
const isOneSided = (frame) => isNew(frame) || isGone(frame);
/** A strip narrower than this part of the picture is closed until it is zoomed to: nothing in it could be read. */
const OPEN_PART = 0.01;
/** Code that one side alone has, inside what both sides have. */
const isStrip = (frame) => tree.is_aligned === true && flame.view === "diff" && frame.parent !== null && !isPruned(frame) && isOneSided(frame) &&
  !isOneSided(frames[frame.parent]);

const isClosed = (frame, part, whole) => isStrip(frame) && frame.index !== flame.zoom && part < OPEN_PART * whole;

/** A weight of one side in the page's measure. */
function inMeasure(weight, side) {
  const share = weight / Math.max(1, tree[side].weight);
  return isCost() ? share * perOperation[side] : 100 * share;
}
const ofFrame = (frame, side, measure) => inMeasure(frame.row[column[`${side}_${measure}_weight`]], side);
const changeOf = (frame, measure) => ofFrame(frame, "after", measure) - ofFrame(frame, "before", measure);
const isBeyondNoise = (frame, measure) =>
  frame.row[column[isCost() ? `${measure}_per_op_significant` : `${measure}_significant`]] === true;
function intervalOf(frame, measure) {
  if (!isCost()) return [frame.row[column[`${measure}_ci_low_pp`]], frame.row[column[`${measure}_ci_high_pp`]]];
  const half = frame.row[column[`${measure}_per_op_half`]];
  const change = changeOf(frame, measure);
  return half === null ? [null, null] : [change - half, change + half];
}

/** By frame: its width in a view. A frame's is its own and its children's. */
function widths(view) {
  const own = frames.map((frame) => {
    const before = ofFrame(frame, "before", "self");
    const after = ofFrame(frame, "after", "self");
    if (view === "after") return after;
    if (view === "before") return before;
    if (view === "gone") return isGone(frame) ? before : 0;
    return Math.max(before, after);
  });
  for (let index = frames.length - 1; index > 0; index -= 1) own[frames[index].parent] += own[index];
  return own;
}

const change = (frame) => changeOf(frame, flame.color);
const isSignificant = (frame) => isBeyondNoise(frame, flame.color);

/** The direction of a change, for eyes and printers that do not tell blue from orange. */
function mark(frame) {
  if (frame.parent === null || !isSignificant(frame) || isPruned(frame)) return "";
  return change(frame) > 0 ? MORE : LESS;
}

const strengthOf = (delta, full) => Math.max(LEAST_STRENGTH, Math.min(1, Math.sqrt(Math.abs(delta) / full)));
const shade = (hue, strength) => `color-mix(in srgb, var(--${hue}) ${Math.round(100 * strength)}%, var(--ground))`;

/** Drawn as of one side: in an aligned tree only what is code of that side alone, or where that begins. */
const isMarked = (frame) => isOneSided(frame) &&
  (!tree.is_aligned || functionOf(frame)?.presence !== "both" || !isOneSided(frames[frame.parent]));

function fill(frame, full) {
  if (frame.parent === null || isPruned(frame)) return "var(--plain)";
  if (isOneSided(frame) && !isMarked(frame)) {
    return isSignificant(frame) ? shade(isNew(frame) ? "more" : "less", LEAST_STRENGTH) : "var(--noise)";
  }
  if (!isSignificant(frame)) return isNew(frame) ? "url(#new-noise)" : isGone(frame) ? "url(#gone-noise)" : "var(--noise)";
  if (isNew(frame)) return "url(#new)";
  if (isGone(frame)) return "url(#gone)";
  const delta = change(frame);
  return shade(delta > 0 ? "more" : "less", strengthOf(delta, full));
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
      ground.style.cssText = `stroke:none;fill:color-mix(in srgb, ${line} ${suffix ? 5 : 30}%, var(--ground))`;
      const stripe = shape("rect", { width: 2, height: 7 });
      stripe.style.cssText = `stroke:none;fill:color-mix(in srgb, ${line} ${suffix ? 15 : 75}%, var(--ground))`;
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
  const found = flame.search ? frames.map((frame) => frame.parent !== null && flame.search.test(frame.name)) : null;
  const places = [];
  const holdsFound = new Set();
  const above = [];
  for (let at = frames[flame.zoom].parent; at !== null; at = frames[at].parent) above.unshift(frames[at]);
  for (const frame of above) places.push({ frame, x: 0, width, above: true });
  const waiting = share[flame.zoom] > 0 ? [{ frame: frames[flame.zoom], x: 0, width }] : [];
  while (waiting.length) {
    const place = waiting.pop();
    places.push(place);
    place.closed = isClosed(place.frame, place.width, width) && place.frame.children.length > 0;
    if (place.closed) continue;
    let x = place.x;
    for (const child of place.frame.children) {
      const part = share[child.index] / share[place.frame.index] * place.width;
      if (part >= LEAST_PIXELS) waiting.push({ frame: child, x, width: part });
      x += part;
    }
  }
  // What is found inside a closed strip marks the strip.
  if (found) for (let index = frames.length - 1; index > 0; index -= 1) {
    const parent = frames[index].parent;
    if (found[index] && parent !== flame.zoom && tree.is_aligned && isOneSided(frames[parent])) holdsFound.add(parent);
    if (holdsFound.has(index) && isOneSided(frames[parent])) holdsFound.add(parent);
  }
  const full = fullChange(places);
  const depth = places.reduce((deepest, place) => Math.max(deepest, place.frame.depth), 0);
  const picture = shape("svg", { viewBox: `0 0 ${width} ${(depth + 1) * LEVEL}`, height: (depth + 1) * LEVEL, role: "img",
    "aria-label": `Flame graph of ${places.length} frames, widths in ${unitName()}` });
  picture.append(hatchings());
  for (const place of places) picture.append(drawFrame(place, full, found, holdsFound));
  if (!places.length) picture.append(Object.assign(shape("text", { x: 8, y: 14 }), { textContent: "no such stack" }));
  byId("graph").replaceChildren(picture);
  drawn = places;
  drawKey(full, share[flame.zoom], width);
  byId("unzoom").disabled = flame.zoom === 0;
  tellFound(found);
  moveTo(places.some((place) => place.frame.index === flame.current) ? flame.current : flame.zoom);
}

/** The change that has the full colour: nearly the largest of the visible frames. */
function fullChange(places) {
  const changes = places.map((place) => place.frame)
    .filter((frame) => frame.parent !== null && !isPruned(frame) && isSignificant(frame))
    .map((frame) => Math.abs(change(frame))).sort((a, b) => a - b);
  return Math.max(1e-9, changes[Math.floor(SCALE_PART * (changes.length - 1))] ?? 0);
}

/** What colours and widths mean: three values each way, and a bar of a round width. */
function drawKey(full, shown, pixels) {
  const swatch = (hue, part) => {
    const made = element("span", { class: "swatch" });
    made.style.background = shade(hue, Math.sqrt(part));
    return [made, difference((hue === "more" ? 1 : -1) * part * full) + " "];
  };
  const parts = full > 1e-9 ? [
    LESS, ...swatch("less", 1), ...swatch("less", 0.49), ...swatch("less", 0.16),
    element("span", { class: "swatch noise" }), "within noise ",
    MORE, ...swatch("more", 0.16), ...swatch("more", 0.49), ...swatch("more", 1), ` ${changeUnit()}, ${flame.color} `,
  ] : [element("span", { class: "swatch noise" }), "all within noise "];
  parts.push(element("span", { class: "swatch new" }), "new: only after ", element("span", { class: "swatch gone" }),
    "gone: only before ");
  const whole = isCost() ? shown / costUnit.divisor : shown;
  if (whole > 0) {
    const rough = whole / 6;
    const power = 10 ** Math.floor(Math.log10(rough));
    const round = [5, 2, 1].find((step) => step * power <= rough) * power;
    const bar = element("span", { class: "scale-bar" });
    bar.style.width = `${(round / whole * pixels).toFixed(1)}px`;
    const what = { diff: "the larger side", after: "after", before: "before", gone: "before" }[flame.view];
    parts.push(element("span", { class: "scale" }, "width: ", what, " ", bar, ` ${Number(round.toPrecision(2))} ${unitName()}`));
  }
  byId("key").replaceChildren(...parts);
}

function drawFrame({ frame, x, width, above, closed }, full, found, holdsFound) {
  const group = shape("g", { "data-frame": frame.index });
  if (above) group.classList.add("above");
  if (isStrip(frame)) group.classList.add("strip");
  if (found && (found[frame.index] || (closed && holdsFound.has(frame.index)))) group.classList.add("match");
  const title = shape("title", {});
  title.textContent = `${visible(frame.name)}: ${amount(ofFrame(frame, "before", "total"))} -> ` +
    `${amount(ofFrame(frame, "after", "total"))} ${unitName()}` + (closed ? "; click opens it" : "");
  const rect = shape("rect", { x: x.toFixed(2), y: frame.depth * LEVEL, width: width.toFixed(2), height: LEVEL - 1 });
  rect.style.fill = fill(frame, full);
  group.append(title, rect);
  const fitting = Math.floor((width - 6) / CHARACTER);
  if (fitting >= 3) {
    const name = mark(frame) + visible(frame.name);
    const text = shape("text", { x: (x + 3).toFixed(2), y: frame.depth * LEVEL + 13 });
    text.textContent = name.length > fitting ? name.slice(0, fitting - 2) + ".." : name;
    group.append(text);
  }
  group.addEventListener("click", () => { flame.current = frame.index; zoomTo(frame.index); remember(); });
  return group;
}

/** What both sides spend under frames found, each stack once. */
function tellFound(found) {
  if (!found) { byId("found").textContent = ""; return; }
  const under = new Array(frames.length).fill(false);
  const sums = { before: 0, after: 0 };
  for (const frame of frames) {
    const parent = frame.parent === null ? false : under[frame.parent];
    if (found[frame.index] && !parent) {
      for (const side of ["before", "after"]) sums[side] += ofFrame(frame, side, "total");
    }
    under[frame.index] = parent || found[frame.index];
  }
  const count = found.filter(Boolean).length;
  byId("found").textContent = count
    ? `${count} frames, ${amount(sums.before)} -> ${amount(sums.after)} ${unitName()}`
    : "no frame of that name is wide enough to be here; the table has every function";
}

/** Everything about a frame; it stays until another frame is asked for. */
function tell(frame) {
  const of = functionOf(frame);
  const panel = byId("frame");
  const head = element("p", {}, element("b", { class: "name" }, frame.name), of ? element("span", { class: "dim" }, " " + of.object) : "");
  const parts = [head];
  if (isPruned(frame)) parts.push(element("p", {}, `${frame.row[column.pruned_frames]} narrow frames together`));
  if (frame.parent !== null && !isPruned(frame)) {
    if (isNew(frame)) parts.push(element("p", {}, "New here: only after has this stack."));
    if (isGone(frame)) parts.push(element("p", {}, "Gone here: only before has this stack."));
  }
  const lines = [element("tr", {}, ...["", "before", "after", "change", "95 %"].map((name) => element("th", { scope: "col" }, name)))];
  for (const measure of ["total", "self"]) {
    const [low, high] = intervalOf(frame, measure);
    const isKnown = typeof low === "number" && frame.parent !== null;
    const tone = isKnown && isBeyondNoise(frame, measure) ? (changeOf(frame, measure) > 0 ? "worse" : "better") : "dim";
    lines.push(element("tr", {}, element("th", { scope: "row" }, measure === "total" ? "with callees" : "self"),
      element("td", { class: "number" }, amount(ofFrame(frame, "before", measure))),
      element("td", { class: "number" }, amount(ofFrame(frame, "after", measure))),
      element("td", { class: "number " + tone }, difference(changeOf(frame, measure))),
      element("td", { class: "number" }, !isKnown ? "-" : `${difference(low)}..${difference(high)}` +
        (isBeyondNoise(frame, measure) ? "" : " noise"))));
  }
  parts.push(element("table", {}, element("caption", {}, unitName()), element("tbody", {}, ...lines)));
  if (of) parts.push(...sandwich(of));
  const told = of && verdictsByName.get(keyOf(of.name, of.object));
  if (told) {
    const { verdict, index } = told;
    parts.push(element("p", {}, element("a", { href: "#v" + index }, `${verdict.cause}, ${verdict.confidence}`), ": ", verdict.reason));
  }
  panel.replaceChildren(...parts);
}

/** Tells about the frame under a pointer that moves: a page that scrolls below a resting one says nothing. */
function pointed(event) {
  if (!event.movementX && !event.movementY) return;
  const group = event.target.closest("g[data-frame]");
  if (group) tell(frames[Number(group.dataset.frame)]);
}

const MOST_NEIGHBOURS = 4;

/** Who calls a function and what it calls, over all its frames. */
function sandwich(of) {
  const sums = { "called by": new Map(), calls: new Map() };
  const add = (kind, frame, weights) => {
    const name = frame.name;
    const sum = sums[kind].get(name) || [0, 0];
    sums[kind].set(name, [sum[0] + ofFrame(weights, "before", "total"), sum[1] + ofFrame(weights, "after", "total")]);
  };
  for (const frame of frames) {
    if (functionOf(frame) !== of) continue;
    if (frame.parent !== null && frames[frame.parent].parent !== null) add("called by", frames[frame.parent], frame);
    for (const child of frame.children) if (!isPruned(child)) add("calls", child, child);
  }
  return Object.entries(sums).filter(([, of]) => of.size).map(([kind, of]) => {
    const most = [...of].sort((a, b) => Math.max(...b[1]) - Math.max(...a[1])).slice(0, MOST_NEIGHBOURS);
    return element("div", {}, element("span", { class: "dim" }, kind), element("ul", {}, ...most.map(([name, [before, after]]) =>
      element("li", {}, element("span", { class: "name" }, name), ` ${amount(before)} -> ${amount(after)}`))));
  });
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

/** The widest frame of a name. */
function widestOf(name, object) {
  const share = widths(flame.view);
  const isOne = (frame) => frame.name === name && (object === undefined || functionOf(frame)?.object === object);
  return frames.filter(isOne).reduce((best, frame) => (!best || share[frame.index] > share[best.index] ? frame : best), null);
}

/** A frame narrower than this part of the picture is zoomed to. */
const NARROW_PART = 0.1;

/** Marks a function's frames, goes to the widest one, and zooms in if that is narrow. */
function showFunction(name, object) {
  flame.zoom = 0;
  searchFor("^" + name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") + "$");
  const widest = widestOf(name, object) || widestOf(name);
  if (widest) {
    const share = widths(flame.view);
    let zoom = widest;
    while (zoom.parent !== null && share[widest.index] >= NARROW_PART * share[zoom.parent]) zoom = frames[zoom.parent];
    flame.current = widest.index;
    zoomTo(share[widest.index] < NARROW_PART * share[0] ? zoom.index : 0);
    moveTo(widest.index);
  }
  byId("flame").scrollIntoView();
  remember();
}

function searchFor(pattern) {
  byId("search").value = pattern;
  try {
    flame.search = pattern ? new RegExp(pattern, "i") : null;
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
  if (event.key === "Enter") { zoomTo(flame.current); remember(); }
  else if (event.key === "Escape") { zoomTo(0); remember(); }
  else if (target) moveTo(target.index);
  else if (!event.key.startsWith("Arrow")) return;
  event.preventDefault();
}
