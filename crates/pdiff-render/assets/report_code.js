// Two tabs of the panel: a function's code on both sides, and its share over time.

const STATES = { aligned: "aligned", "only-before": "vanished", "only-after": "new", unclear: "counterpart unclear" };

/**
 * The lines with most samples, before and after side by side.
 * @param {NonNullable<Frame["of"]>} of
 */
function codeOf(of) {
  const told = data.hot_lines.find((/** @type {any} */ one) => one.function === of.name && one.object === of.object);
  const instructions = instructionsOf(of);
  if (!told && !instructions) return [element("p", {}, "The page has the lines of functions with a cause; pdiff explain has those of every function.")];
  const lines = told ? [element("p", { class: "dim" }, "Lines with most samples, in percent of the function's own samples."),
    element("div", { class: "code-sides" }, ...["before", "after"].map((side) => codeOfSide(side, told[side])))] : [];
  return [...lines, ...instructions ?? [element("p", { class: "dim" }, "The page has the instructions of the first functions only; pdiff explain --code has those of every function.")]];
}

/**
 * The code blocks with the largest changes, their instructions before and after side by side; undefined if the page has none.
 * @param {NonNullable<Frame["of"]>} of
 */
function instructionsOf(of) {
  const code = data.code.find((/** @type {any} */ one) => one.function === of.name && one.object === of.object);
  if (!code) return undefined;
  const missing = ["before", "after"].filter((side) => code[side].no_code)
    .map((side) => element("p", { class: "dim" }, `${side}: ${code[side].no_code}`));
  const unit = code.unit === "percent" ? "percent of all samples" : code.unit === "ns-per-op" ? "ns per operation" : "weight per operation";
  const parts = [element("h4", {}, "Instructions"), ...missing];
  if (!code.blocks.length) return parts;
  const left = code.blocks_left_out ? ` ${code.blocks_left_out} code blocks with smaller changes are left out.` : "";
  parts.push(element("p", { class: "dim" }, `Code blocks with the largest changes, in ${unit}.${left}`));
  return [...parts, ...code.blocks.map((/** @type {any} */ block, /** @type {number} */ at) => blockOf(code, block, at === 0))];
}

/**
 * One code block: a row for each instruction, with the source line above those of one place.
 * @param {any} code
 * @param {any} block
 * @param {boolean} isOpen
 */
function blockOf(code, block, isOpen) {
  const sides = ["before", "after"].filter((side) => block[side]);
  const value = (/** @type {string} */ side, /** @type {number} */ weight) => fixed(weight / code[side].weight * code[side].value, 2);
  /** @type {any[]} */
  const rows = [];
  let last = -1;
  for (const row of block.rows) {
    if (row.left_out) {
      rows.push(element("tr", {}, element("td", { class: "dim", colspan: 2 * sides.length }, `${row.left_out} more instructions`)));
      continue;
    }
    const place = (row.after ?? row.before).place;
    if (place !== undefined && place !== last) {
      last = place;
      rows.push(element("tr", { class: "place" }, element("td", { class: "dim", colspan: 2 * sides.length }, placeName(code.places[place]))));
    }
    const isChanged = sides.length === 2 && !(row.before && row.after);
    const cells = sides.flatMap((side) => {
      const of = row[side];
      const tone = isChanged ? (side === "after" ? "worse" : "better") : "";
      return [element("td", { class: "number" }, of?.weight ? value(side, of.weight) : ""),
        element("td", {}, of ? element("code", { class: tone, title: of.address }, of.text) : "")];
    });
    rows.push(element("tr", {}, ...cells));
  }
  const change = block.change === undefined ? "" : `, ${signed(block.change, 2)}`;
  const ranges = sides.map((side) => `${side} ${block[side].start}: ${fixed(block[side].value, 2)}`).join(", ");
  const heads = sides.flatMap((side) => [element("th", { scope: "col", colspan: 2 }, side)]);
  const columns = sides.flatMap(() => [element("col", { class: "amount" }), element("col", {})]);
  return element("details", { class: "code-block", ...(isOpen ? { open: "" } : {}) },
    element("summary", {}, `${STATES[/** @type {keyof typeof STATES} */ (block.state)]}${change} (${ranges})`),
    element("table", {}, element("colgroup", {}, ...columns), element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows)));
}

/** @param {any} place */
function placeName(place) {
  if (!place.file) return "no line";
  const name = place.file.split("/").slice(-2).join("/") + (place.line ? ":" + place.line : "");
  return name + (place.inlined ? ` in ${place.inlined}` : "") + (place.source ? "  " + place.source : "");
}

/** @param {string} side @param {any} of */
function codeOfSide(side, of) {
  const head = element("h4", {}, side);
  if (!of.weight) return element("div", {}, head, element("p", {}, "No sample in its code."));
  if (!of.lines.length) {
    return element("div", {}, head, element("p", {}, "Lines are not known: the binary has no debug information, or was not found."));
  }
  const rows = of.lines.map((/** @type {any} */ line) => {
    const place = line.file.split("/").slice(-2).join("/") + ":" + line.line;
    const source = line.source ? element("code", {}, line.source) : "";
    const inlined = line.inlined ? element("span", { class: "dim" }, ` inlined ${line.inlined}`) : "";
    return element("li", {}, element("b", { class: "number" }, fixed(line.share_pct, 1)), " ",
      element("span", { class: "name" }, place), inlined, source ? element("br") : "", source);
  });
  const unknown = of.without_line_weight / of.weight * 100;
  return element("div", {}, head, element("ol", { class: "lines" }, ...rows),
    unknown > 0.05 ? element("p", { class: "dim" }, `${fixed(unknown, 1)} % of its samples have no line.`) : "");
}

const TIME_WIDTH = 300;
const TIME_HEIGHT = 90;

/**
 * The share of stacks that contain a function, over the whole seconds of each run.
 * @param {NonNullable<Frame["of"]>} of
 */
function timeOf(of) {
  const course = data.seconds.functions.find((/** @type {any} */ one) => one.name === of.name && one.object === of.object);
  if (!data.seconds.before.length || !data.seconds.after.length) {
    return [element("p", {}, "Not known: a recording has no times of its samples, or is shorter than four seconds.")];
  }
  if (!course) return [element("p", {}, "The page has the course of wide functions only.")];
  /** @type {[Side, number[][]][]} */
  const sides = [["before", course.before_pct], ["after", course.after_pct]];
  const full = Math.max(1e-9, ...course.before_pct.flat(), ...course.after_pct.flat());
  const points = Math.max(2, ...sides.map(([, runs]) => runs.reduce((sum, run) => sum + run.length + 1, 0)));
  const words = sides.map(([side, runs]) => `${side} ${rangeOf(runs.flat())}`).join("; ");
  const picture = shape("svg", { viewBox: `0 0 ${TIME_WIDTH} ${TIME_HEIGHT}`, class: "strips", role: "img",
    "aria-label": `Share of ${of.name} over time: ${words}` });
  picture.append(shape("line", { x1: 0, x2: TIME_WIDTH, y1: TIME_HEIGHT - 1, y2: TIME_HEIGHT - 1 }));
  for (const [side, runs] of sides) {
    let first = 0;
    for (const run of runs) {
      const at = (/** @type {number} */ share, /** @type {number} */ index) => `${((first + index) * TIME_WIDTH / points).toFixed(1)},` +
        `${(TIME_HEIGHT - 1 - share / full * (TIME_HEIGHT - 4)).toFixed(1)}`;
      picture.append(shape("polyline", { class: side, points: run.map(at).join(" ") }));
      first += run.length + 1;
    }
  }
  const drifts = data.compare.noise.drifting.includes(of.name)
    ? [element("p", { class: "warning" }, "Drifts: its share wanders more than its second-to-second noise explains, so its interval is too narrow.")]
    : [];
  return [element("p", {}, `Share with callees, % of all samples, over time (from 0 to ${fixed(full, 1)} %)`), picture,
    element("p", {}, element("span", { class: "swatch before" }), " before ", element("span", { class: "swatch after" }), " after"),
    element("p", { class: "dim" }, words), ...drifts];
}

/**
 * The mean of some shares, and between what they lie.
 * @param {number[]} shares
 */
function rangeOf(shares) {
  const mean = shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length);
  return `${fixed(mean, 2)} %, from ${fixed(Math.min(...shares), 2)} to ${fixed(Math.max(...shares), 2)}`;
}
