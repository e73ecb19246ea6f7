// The flame graph. Widths and colours come from data.tree, in the page's measure; see docs/flame.md.

const MORE = "\u25b2 ";
const LESS = "\u25bc ";
const LEVEL = 19;
const CHARACTER = 7.3;
const LEAST_PIXELS = 0.8;
/** A change beyond noise has at least this part of its colour; noise is paler than that. */
const LEAST_STRENGTH = 0.4;
/** So many of the frames beyond noise lie within the colour scale: a change of everything must not take all of it. */
const SCALE_PART = 0.95;
/** A strip narrower than this part of the picture is closed until it is zoomed to: nothing in it could be read. */
const OPEN_PART = 0.01;

/**
 * What is drawn: stacks, view and colour; direction: callees (roots on top), callers (leaves on top); the function around which.
 * @type {{stacks: string, view: string, color: Measure, direction: string, around: Frame["of"], zoom: number, current: string,
 *   search: RegExp|null}}
 */
const flame = { stacks: "aligned", view: "diff", color: "total", direction: "callees", around: null, zoom: 0, current: "0", search: null };

/** @param {Frame} frame */
const isPruned = (frame) => frame.pruned !== null;
/** @param {Frame} frame */
const isNew = (frame) => frame.before.total === 0;
/** @param {Frame} frame */
const isGone = (frame) => frame.after.total === 0;
/** @param {Frame} frame */
const isOneSided = (frame) => isNew(frame) || isGone(frame);
/** @param {Frame} frame */
const isOwn = (frame) => frames[frame.index] === frame;
/**
 * Code that one side alone has, inside what both sides have.
 * @param {Frame} frame
 */
const isStrip = (frame) => tree.is_aligned === true && isOwn(frame) && flame.view === "diff" && frame.parent !== null &&
  !isPruned(frame) && isOneSided(frame) && !isOneSided(frames[frame.parent]);
/** @param {Frame} frame @param {number} part @param {number} whole */
const isClosed = (frame, part, whole) => isStrip(frame) && frame.index !== flame.zoom && part < OPEN_PART * whole;

/**
 * A frame's weight on one side in the page's measure.
 * @type {Weigh}
 */
function ofFrame(frame, side, measure) {
  const share = frame[side][measure] / Math.max(1, data.tree[side].weight);
  return isCost() ? share * costOf(side) : 100 * share;
}
/** @param {Frame} frame @param {Measure} measure */
const changeOf = (frame, measure) => ofFrame(frame, "after", measure) - ofFrame(frame, "before", measure);
/** @param {Frame} frame @param {Measure} measure */
const isBeyondNoise = (frame, measure) => frame[measure][isCost() ? "costSignificant" : "significant"];
/** @param {Frame} frame @param {Measure} measure @returns {(number|null)[]} */
function intervalOf(frame, measure) {
  const { low, high, half } = frame[measure];
  if (!isCost()) return [low, high];
  const change = changeOf(frame, measure);
  return half === null ? [null, null] : [change - half, change + half];
}

/**
 * The measure that gives colours: of a tree of callers it is what they hold.
 * @param {Frame} frame @returns {Measure}
 */
const colored = (frame) => (isOwn(frame) || frame.id[0] === "d" ? flame.color : "total");
/** @param {Frame} frame */
const change = (frame) => changeOf(frame, colored(frame));
/** @param {Frame} frame */
const isSignificant = (frame) => isBeyondNoise(frame, colored(frame));
/**
 * The root of all threads is the side itself; that of a group of threads may change as other frames do.
 * @param {Frame} frame
 */
const isWhole = (frame) => frame.parent === null && !flame.around && !tree.thread_group;

/**
 * The direction of a change, for eyes and printers that do not tell blue from orange.
 * @param {Frame} frame
 */
function mark(frame) {
  if (isWhole(frame) || !isSignificant(frame) || isPruned(frame)) return "";
  return change(frame) > 0 ? MORE : LESS;
}

/** @param {number} delta @param {number} full */
const strengthOf = (delta, full) => Math.max(LEAST_STRENGTH, Math.min(1, Math.sqrt(Math.abs(delta) / full)));
/** @param {string} hue @param {number} strength */
const shade = (hue, strength) => `color-mix(in srgb, var(--${hue}) ${Math.round(100 * strength)}%, var(--ground))`;

/**
 * Drawn as of one side: in an aligned tree only what is code of that side alone, or where that begins.
 * @param {Frame} frame
 */
const isMarked = (frame) => isOneSided(frame) && (!tree.is_aligned || frame.of?.presence !== "both" || isStrip(frame));

/** @param {Frame} frame @param {number} full */
function fill(frame, full) {
  if (isWhole(frame) || isPruned(frame)) return "var(--plain)";
  if (isOneSided(frame) && !isMarked(frame)) {
    return isSignificant(frame) ? shade(isNew(frame) ? "more" : "less", LEAST_STRENGTH) : "var(--noise)";
  }
  if (!isSignificant(frame)) return isNew(frame) ? "url(#new-noise)" : isGone(frame) ? "url(#gone-noise)" : "var(--noise)";
  const strength = strengthOf(change(frame), full);
  if (isNew(frame)) return `url(#new${hatchingOf(strength)})`;
  if (isGone(frame)) return `url(#gone${hatchingOf(strength)})`;
  return shade(change(frame) > 0 ? "more" : "less", strength);
}

/** Hatchings of each hue, from LEAST_STRENGTH to the full colour. */
const HATCHINGS = 4;
/** @param {number} strength */
const hatchingOf = (strength) => Math.round((strength - LEAST_STRENGTH) / (1 - LEAST_STRENGTH) * (HATCHINGS - 1));

const SVG = "http://www.w3.org/2000/svg";
/**
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {{[name: string]: string|number}} attributes
 * @returns {SVGElementTagNameMap[Tag]}
 */
function shape(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}

function hatchings() {
  const defs = shape("defs", {});
  for (const [id, hue] of [["new", "more"], ["gone", "less"]]) {
    const angle = id === "new" ? 45 : -45;
    const hatching = (/** @type {string} */ suffix, /** @type {string} */ ground, /** @type {string} */ stripe) => {
      const pattern = shape("pattern", { id: id + suffix, width: 7, height: 7, patternUnits: "userSpaceOnUse",
        patternTransform: `rotate(${angle})` });
      const part = (/** @type {number} */ width, /** @type {string} */ fill) => {
        const made = shape("rect", { width, height: 7 });
        made.style.cssText = `stroke:none;fill:${fill}`;
        return made;
      };
      pattern.append(part(7, ground), part(2, stripe));
      defs.append(pattern);
    };
    hatching("-noise", "color-mix(in srgb, var(--dim) 5%, var(--ground))", "color-mix(in srgb, var(--dim) 15%, var(--ground))");
    for (let at = 0; at < HATCHINGS; at += 1) {
      const strength = LEAST_STRENGTH + at / (HATCHINGS - 1) * (1 - LEAST_STRENGTH);
      hatching(String(at), shade(hue, 0.75 * strength), shade(hue, strength));
    }
  }
  return defs;
}

/** @type {Map<string, any>} */
const madeTrees = new Map();
/**
 * A tree that is made of the page's own, once for each measure.
 * @template Made
 * @param {string} key @param {() => Made} make @returns {Made}
 */
function made(key, make) {
  const whole = `${flame.stacks} ${page.measure} ${key}`;
  if (!madeTrees.has(whole)) {
    if (madeTrees.size > 20) madeTrees.clear();
    madeTrees.set(whole, make());
  }
  return madeTrees.get(whole);
}

/**
 * A tree that is drawn: the direction in which it grows, and whether its frames are as wide as their children.
 * @typedef {{frames: Frame[], grows: number, isOfChildren: boolean}} DrawnTree
 */
/**
 * Where a frame is, in pixels; `above`: a caller of what is zoomed to.
 * @typedef {{frame: Frame, x: number, width: number, row: number, scale: number, above: boolean, closed: boolean}} Place
 */

/** @param {NonNullable<Frame["of"]>} of */
const madeAround = (of) => made(`around ${keyOf(of.name, of.object)}`, () => neighbourhoodOf(of));

/**
 * The trees that are drawn.
 * @returns {DrawnTree[]}
 */
function drawnTrees() {
  const { around } = flame;
  if (around) {
    const { up, down } = madeAround(around);
    return [{ frames: up, grows: -1, isOfChildren: true }, { frames: down, grows: 1, isOfChildren: false }];
  }
  if (flame.direction === "callers") {
    return [{ frames: made("inverted", () => invertedFrames(frames, ofFrame)), grows: 1, isOfChildren: true }];
  }
  return [{ frames, grows: 1, isOfChildren: false }];
}

/** @type {Place[]} */
let drawn = [];

/** @param {Frame} frame @param {number} x @param {number} width @param {boolean} above @returns {Place} */
const placeOf = (frame, x, width, above) => ({ frame, x, width, row: 0, scale: 0, above, closed: false });

/**
 * Where each frame of a tree is that is wide enough.
 * @param {DrawnTree} one @param {number[]} share @param {number} width
 */
function placesOf(one, share, width) {
  const root = one.frames[flame.around ? 0 : flame.zoom] || one.frames[0];
  /** @type {Place[]} */
  const places = [];
  for (let at = root.parent; at !== null; at = one.frames[at].parent) places.unshift(placeOf(one.frames[at], 0, width, true));
  const waiting = share[root.index] > 0 ? [placeOf(root, 0, width, false)] : [];
  for (let place = waiting.pop(); place; place = waiting.pop()) {
    places.push(place);
    place.closed = isClosed(place.frame, place.width, width) && place.frame.children.length > 0;
    if (place.closed) continue;
    let x = place.x;
    for (const child of place.frame.children) {
      const part = share[child.index] / share[place.frame.index] * place.width;
      if (part >= LEAST_PIXELS) waiting.push(placeOf(child, x, part, false));
      x += part;
    }
  }
  // Callers are drawn above their function, which the tree of callees has, too.
  return one.grows < 0 ? places.slice(1) : places;
}

function drawFlame() {
  const width = Math.max(200, byId("graph").clientWidth);
  /** @type {Place[]} */
  const places = [];
  /** @type {Map<string, string|null>} */
  const found = new Map();
  const sums = [];
  let scale = 0;
  let highest = 0;
  for (const one of drawnTrees()) {
    const share = widthsOf(one.frames, flame.view, ofFrame, one.isOfChildren);
    if (one.grows > 0) scale = share[flame.around ? 0 : flame.zoom] ?? share[0];
    const own = placesOf(one, share, width);
    if (one.grows < 0) highest = own.reduce((most, place) => Math.max(most, place.frame.depth), 0);
    for (const place of own) {
      place.row = highest + one.grows * place.frame.depth;
      place.scale = share[place.frame.index] / place.width;
      places.push(place);
    }
    const { search } = flame;
    if (!search) continue;
    const isFound = one.frames.map((frame) => (frame.parent !== null || flame.around !== null) && search.test(frame.name));
    sums.push(sumFound(one.frames, isFound, ofFrame));
    const holds = holdersOf(one.frames, isFound);
    for (const frame of one.frames) found.set(frame.id, isFound[frame.index] ? "itself" : holds.has(frame.index) ? "inside" : null);
  }
  const full = fullChange(places);
  const rows = places.reduce((most, place) => Math.max(most, place.row), 0) + 1;
  const picture = shape("svg", { viewBox: `0 0 ${width} ${rows * LEVEL}`, height: rows * LEVEL, role: "img",
    "aria-label": `Flame graph of ${places.length} frames, widths in ${unitName()}` });
  picture.append(hatchings());
  for (const place of places) picture.append(drawFrame(place, full, found.get(place.frame.id)));
  if (!places.length) picture.append(Object.assign(shape("text", { x: 8, y: 14 }), { textContent: "no such stack" }));
  byId("graph").replaceChildren(picture);
  drawn = places;
  drawKey(full, scale, width);
  field("unzoom").disabled = flame.zoom === 0 && !flame.around && !field("search").value;
  byId("around").textContent = flame.around ? `around ${visible(flame.around.name)}: callers above, callees below${madeAround(flame.around).isExact ? ", by exact stacks" : ""}` : "";
  tellFound(sums);
  const isDrawn = (/** @type {string} */ id) => places.some((place) => place.frame.id === id);
  moveTo(isDrawn(flame.current) ? flame.current : flame.around ? "d0" : places.find((place) => !place.above)?.frame.id ?? "0");
}

/**
 * Frames in which something is found that is not drawn, for it is inside a closed strip.
 * @param {Frame[]} all @param {boolean[]} isFound
 */
function holdersOf(all, isFound) {
  const holders = new Set();
  for (let index = all.length - 1; index > 0; index -= 1) {
    const parent = all[index].parent ?? 0;
    if ((isFound[index] || holders.has(index)) && isOneSided(all[parent])) holders.add(parent);
  }
  return holders;
}

/**
 * The change that has the full colour: nearly the largest of the visible frames.
 * @param {Place[]} places
 */
function fullChange(places) {
  const changes = places.map((place) => place.frame)
    .filter((frame) => !isWhole(frame) && !isPruned(frame) && isSignificant(frame))
    .map((frame) => Math.abs(change(frame))).sort((a, b) => a - b);
  return Math.max(1e-9, changes[Math.floor(SCALE_PART * (changes.length - 1))] ?? 0);
}

/**
 * What colours and widths mean: three values each way, and a bar of a round width.
 * @param {number} full @param {number} shown @param {number} pixels
 */
function drawKey(full, shown, pixels) {
  const swatch = (/** @type {string} */ hue, /** @type {number} */ part) => {
    const box = element("span", { class: "swatch" });
    box.style.background = shade(hue, Math.sqrt(part));
    return [box, difference((hue === "more" ? 1 : -1) * part * full) + " "];
  };
  const measure = flame.direction === "callers" && !flame.around ? "self of the leaf" : flame.color;
  const parts = full > 1e-9 ? [
    LESS, ...swatch("less", 1), ...swatch("less", 0.49), ...swatch("less", 0.16),
    element("span", { class: "swatch noise" }), "within noise ",
    MORE, ...swatch("more", 0.16), ...swatch("more", 0.49), ...swatch("more", 1), ` ${changeUnit()}, ${measure} `,
  ] : [element("span", { class: "swatch noise" }), "all within noise "];
  parts.push(element("span", { class: "swatch new" }), "new: only after ", element("span", { class: "swatch gone" }),
    "gone: only before ");
  if (flame.view === "diff" && full > 1e-9) parts.push(element("span", { class: "swatch net" }), "line: net change, on the scale of widths ");
  const whole = isCost() ? shown / costUnit.divisor : shown;
  if (whole > 0) {
    const round = roundBelow(whole / 6);
    const bar = element("span", { class: "scale-bar" });
    bar.style.width = `${(round / whole * pixels).toFixed(1)}px`;
    const what = flame.view === "diff" ? "the larger side" : flame.view === "after" ? "after" : "before";
    parts.push(element("span", { class: "scale" }, "width: ", what, " ", bar, ` ${Number(round.toPrecision(2))} ${unitName()}`));
  }
  byId("key").replaceChildren(...parts);
}

/** @param {Place} place @param {number} full @param {string|null|undefined} found */
function drawFrame({ frame, x, width, row, scale, above, closed }, full, found) {
  const group = shape("g", { "data-frame": frame.id });
  if (above) group.classList.add("above");
  if (isStrip(frame)) group.classList.add("strip");
  if (found === "itself" || (found === "inside" && closed)) group.classList.add("match");
  const title = shape("title", {});
  title.textContent = `${visible(frame.name)}: ${amount(ofFrame(frame, "before", "total"))} -> ` +
    `${amount(ofFrame(frame, "after", "total"))} ${unitName()}` + (closed ? "; click opens it" : "");
  const rect = shape("rect", { x: x.toFixed(2), y: row * LEVEL, width: width.toFixed(2), height: LEVEL - 1 });
  rect.style.fill = fill(frame, full);
  group.append(title, rect);
  // The net change inside the box, as long as it would be wide.
  const net = flame.view === "diff" && mark(frame) ? Math.min(width - 1, Math.abs(change(frame)) / scale) : 0;
  if (net >= 2) {
    const line = shape("rect", { class: "net", x: (x + 0.5).toFixed(2), y: row * LEVEL + LEVEL - 4, width: net.toFixed(2), height: 3 });
    line.style.fill = change(frame) > 0 ? "var(--more-text)" : "var(--less-text)";
    group.append(line);
  }
  const fitting = Math.floor((width - 6) / CHARACTER);
  if (fitting >= 3) {
    const name = mark(frame) + visible(frame.name);
    const text = shape("text", { x: (x + 3).toFixed(2), y: row * LEVEL + 12 });
    text.textContent = name.length > fitting ? name.slice(0, fitting - 2) + ".." : name;
    group.append(text);
  }
  group.addEventListener("click", () => { activate(frame); remember(); });
  return group;
}

/**
 * A click or Enter: zooms, or puts a function of the picture around another one in the middle.
 * @param {Frame} frame
 */
function activate(frame) {
  flame.current = frame.id;
  if (!flame.around) zoomTo(frame.index);
  else if (frame.of) showAround(frame.of);
}

/**
 * What both sides spend in frames found, each stack once, and which part of each side that is.
 * @param {{count: number, before: number, after: number}[]} sums
 */
function tellFound(sums) {
  if (!flame.search) { byId("found").textContent = ""; return; }
  const most = sums.reduce((best, one) => (one.before + one.after > best.before + best.after ? one : best), sums[0]);
  // The function in the middle is the root of both of its trees.
  const isTwice = flame.around !== null && flame.search.test(flame.around.name);
  const count = sums.reduce((sum, one) => sum + one.count, 0) - (isTwice ? 1 : 0);
  const part = (/** @type {Side} */ side) => fixed(100 * most[side] / Math.max(1e-9, isCost() ? costOf(side) : 100), 1);
  byId("found").textContent = count
    ? `${count} ${count === 1 ? "frame" : "frames"}, ${amount(most.before)} -> ${amount(most.after)} ${unitName()}; ${part("before")} % of before, ${part("after")} % of after`
    : notFound(flame.search);
}

/** @param {RegExp} search */
function notFound(search) {
  const isRow = (/** @type {any} */ row) => search.test(row.name);
  if (data.compare.functions.some(isRow)) return "no frame of that name is wide enough to be here; the table of functions has it";
  const few = data.compare.functions_left_out.count ? ", but it leaves out small ones" : "";
  return `nothing on this page has such a name${few}`;
}

/** @param {string} id */
function moveTo(id) {
  flame.current = id;
  for (const group of byId("graph").querySelectorAll("g.current")) group.classList.remove("current");
  const group = byId("graph").querySelector(`g[data-frame="${id}"]`);
  if (group) group.classList.add("current");
  const place = drawn.find((one) => one.frame.id === id);
  tell(place ? place.frame : frames[0]);
}

/** @param {number} index */
function zoomTo(index) {
  flame.zoom = index;
  drawFlame();
}

/**
 * A function in the middle of the picture, or, with nothing, the whole tree.
 * @param {Frame["of"]} of
 */
function showAround(of) {
  flame.around = of;
  flame.zoom = 0;
  flame.current = of ? "d0" : "0";
  drawFlame();
}

/**
 * The function of a name, of one object where that is told: that of the widest frame.
 * @param {string} name @param {string} [object]
 */
function functionNamed(name, object) {
  const widest = widestOf(name, object) || widestOf(name);
  return widest ? widest.of : exactFrames().find((frame) => frame.of && frame.name === name)?.of ?? null;
}

/**
 * The widest frame of a name.
 * @param {string} name @param {string} [object] @returns {Frame|null}
 */
function widestOf(name, object) {
  const share = widthsOf(frames, flame.view, ofFrame, false);
  /** @type {Frame|null} */
  let best = null;
  for (const frame of frames) {
    if (frame.name !== name || (object !== undefined && frame.of?.object !== object)) continue;
    if (!best || share[frame.index] > share[best.index]) best = frame;
  }
  return best;
}

const framed = new Set(framesOf("aligned").flatMap((frame) => (frame.of ? [keyOf(frame.name, frame.of.object)] : [])));
/**
 * Whether a function has a frame among the stacks of all threads.
 * @param {string} name @param {string} object
 */
const hasFrame = (name, object) => framed.has(keyOf(name, object));

/** A frame narrower than this part of the picture is zoomed to. */
const NARROW_PART = 0.1;

/**
 * Marks a function's frames, goes to the widest one, and zooms in if that is narrow.
 * @param {string} name @param {string} [object]
 */
function showFunction(name, object) {
  Object.assign(flame, { zoom: 0, around: null });
  choose("direction", "callees");
  if (!widestOf(name, object)) useStacks("aligned");
  searchFor("^" + name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") + "$");
  const widest = widestOf(name, object) || widestOf(name);
  if (widest) {
    const share = widthsOf(frames, flame.view, ofFrame, false);
    let zoom = widest;
    while (zoom.parent !== null && share[widest.index] >= NARROW_PART * share[zoom.parent]) zoom = frames[zoom.parent];
    flame.current = widest.id;
    zoomTo(share[widest.index] < NARROW_PART * share[0] ? zoom.index : 0);
    moveTo(widest.id);
  } else {
    tellMissing(name);
  }
  // The place to which Back returns is the one before the page scrolls.
  remember();
  scrollToFlame();
}

/** To the picture; where the controls above it would fill the window, to the picture itself. */
function scrollToFlame() {
  const top = (/** @type {string} */ id) => byId(id).getBoundingClientRect().top;
  byId(top("graph") - top("flame") > window.innerHeight / 2 ? "graph" : "flame").scrollIntoView();
}

/** The whole picture again: no zoom, no function in the middle, nothing searched for. */
function resetView() {
  field("search").value = "";
  flame.search = null;
  showAround(null);
}

/** @param {string} pattern */
function searchFor(pattern) {
  field("search").value = pattern;
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

/**
 * Arrows go up, down to the widest, and to the neighbours in a row.
 * @param {KeyboardEvent} event
 */
function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const here = drawn.find((place) => place.frame.id === flame.current);
  if (!here) return;
  const inRow = (/** @type {number} */ row) => drawn.filter((place) => place.row === row);
  const overlap = (/** @type {Place} */ place) => Math.min(place.x + place.width, here.x + here.width) - Math.max(place.x, here.x);
  const nearest = (/** @type {number} */ row) => inRow(row).filter((place) => overlap(place) > 0)
    .sort((a, b) => overlap(b) - overlap(a))[0];
  const row = inRow(here.row).sort((a, b) => a.x - b.x);
  const at = row.indexOf(here);
  const target = { ArrowUp: () => nearest(here.row - 1), ArrowDown: () => nearest(here.row + 1),
    ArrowLeft: () => row[at - 1], ArrowRight: () => row[at + 1] }[event.key];
  const isKnown = target || ["Enter", "Escape", "s"].includes(event.key);
  if (!isKnown) return;
  event.preventDefault();
  if (event.key === "Enter") activate(here.frame);
  else if (event.key === "Escape") resetView();
  else if (event.key === "s" && here.frame.of) showAround(here.frame.of);
  else if (target && target()) { moveTo(target().frame.id); return; }
  remember();
}
