// Two tabs of the panel: a function's code on both sides, and its share over time.

/**
 * The lines with most samples, before and after side by side.
 * @param {NonNullable<Frame["of"]>} of
 */
function codeOf(of) {
  const told = data.hot_lines.find((/** @type {any} */ one) => one.function === of.name && one.object === of.object);
  if (!told) return [element("p", {}, "The page has the lines of functions with a cause; pdiff explain has those of every function.")];
  return [element("p", { class: "dim" }, "Lines with most samples, in percent of the function's own samples."),
    element("div", { class: "code-sides" }, ...["before", "after"].map((side) => codeOfSide(side, told[side])))];
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
