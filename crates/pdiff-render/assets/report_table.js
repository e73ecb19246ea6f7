"use strict";
// What the page measures, the table of functions, and verdict cards. All text of the profile goes in as text, never as
// markup.

/**
 * What the JSON of the page says is described in docs/json.md, not here: rows, verdicts and findings are `any`.
 * @typedef {"before" | "after"} Side
 * @typedef {"self" | "total"} Measure
 */

/**
 * An element that the page has.
 * @param {string} id @returns {HTMLElement}
 */
function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found;
}

/**
 * A text field or a box to tick.
 * @param {string} id @returns {HTMLInputElement}
 */
const field = (id) => /** @type {HTMLInputElement} */ (byId(id));

const data = JSON.parse(byId("data").textContent ?? "");

/**
 * What has no width or turns the text around it is spelled out.
 * @param {unknown} text
 */
const visible = (text) => String(text).replace(
  /[\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufffe\uffff]/g,
  (c) => "\\u{" + (c.codePointAt(0) ?? 0).toString(16) + "}");

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {{[name: string]: unknown}} [attributes]
 * @param {...unknown} children nodes, or text
 * @returns {HTMLElementTagNameMap[Tag]}
 */
function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) made.setAttribute(name, String(value));
  for (const child of children) made.append(child instanceof Node ? child : visible(child));
  return made;
}

/** @param {unknown} value @param {number} places */
const fixed = (value, places) => (typeof value === "number" ? value.toFixed(places) : "-");
/** @param {unknown} value @param {number} places */
const signed = (value, places) => (typeof value === "number" ? (value < 0 ? "" : "+") + value.toFixed(places) : "-");

/**
 * What an operation costs on each side; null where operations are not known.
 * @type {{before: number, after: number, is_time: boolean}|null}
 */
const perOperation = data.tree.per_op || null;

/**
 * The unit of costs: the whole has at least 100 of it.
 * @type {{name: string, divisor: number, places: number}}
 */
const costUnit = (() => {
  if (!perOperation) return { name: "", divisor: 1, places: 2 };
  const most = 10 * Math.max(perOperation.before, perOperation.after);
  /** @type {[string, number][]} */
  const units = perOperation.is_time ? [["s", 1e9], ["ms", 1e6], ["us", 1e3], ["ns", 1]]
    : [["G", 1e9], ["M", 1e6], ["k", 1e3], ["", 1]];
  const [name, divisor] = units.find(([, divisor]) => most / divisor >= 100) || units[3];
  const places = most / divisor >= 10000 ? 0 : most / divisor >= 1000 ? 1 : 2;
  return { name, divisor, places };
})();

/** The page's one measure: per operation where operations are known, else share. */
const page = { measure: perOperation ? "operation" : "share" };
const isCost = () => page.measure === "operation";
const unitName = () => (isCost() ? (costUnit.name ? `${costUnit.name} per operation` : "per operation") : "% of all samples");
const changeUnit = () => (isCost() ? unitName() : "points");
/** @param {number} value */
const amount = (value) => (isCost() ? fixed(value / costUnit.divisor, costUnit.places) : fixed(value, 2));
/** @param {number} value */
const difference = (value) => (isCost() ? signed(value / costUnit.divisor, costUnit.places) : signed(value, 2));

/** @param {string} name @param {string} object @param {string|null} [file] */
const keyOf = (name, object, file) => [name, object, file || ""].join("\u0000");
/** @typedef {{verdict: any, index: number}} Told a verdict, and its place in the data */
/** @type {Map<string, Told>} */
const verdicts = new Map();
data.classify.verdicts.forEach((/** @type {any} */ verdict, /** @type {number} */ index) => {
  if (verdict.cause !== "noise") verdicts.set(keyOf(verdict.function, verdict.object, verdict.file), { verdict, index });
});

/** Frames do not say their file: of several verdicts on one name none is told. */
/** @type {Map<string, Told|null>} */
const verdictsByName = new Map();
for (const told of verdicts.values()) {
  const key = keyOf(told.verdict.function, told.verdict.object);
  verdictsByName.set(key, verdictsByName.has(key) ? null : told);
}

const hasGap = data.compare.functions.some((/** @type {any} */ row) => typeof row.gap_share_pct === "number");

/**
 * What an operation costs on a side; nothing is asked for where it is not known.
 * @param {Side} side
 */
const costOf = (side) => (perOperation ? perOperation[side] : 0);

/**
 * A row's measure on one side, in the page's measure.
 * @param {any} row @param {Side} side @param {Measure} measure
 */
function ofRow(row, side, measure) {
  const percent = row[side] ? row[side][`${measure}_pct`] ?? 0 : 0;
  return isCost() ? percent / 100 * costOf(side) : percent;
}
/** @param {any} row @param {Measure} measure */
const rowChange = (row, measure) => ofRow(row, "after", measure) - ofRow(row, "before", measure);
/** @param {any} row */
const rowIsSignificant = (row) => (isCost() ? row.self_per_op_significant === true : row.significant === true);
/** @param {any} row */
function rowInterval(row) {
  if (!isCost()) return [row.ci_low_pp, row.ci_high_pp];
  const change = rowChange(row, "self");
  return [change - row.self_per_op_half, change + row.self_per_op_half];
}

/**
 * A column of the table of functions.
 * @typedef {{id: string, title: () => string, text?: boolean, change?: boolean, shown?: boolean, value: (row: any) => any,
 *   show?: (value: any) => string}} Column
 */
/** @type {Column[]} */
const columns = /** @type {Column[]} */ ([
  { id: "function", title: () => "function", text: true, value: (row) => row.name },
  { id: "before", title: () => `self before, ${unitName()}`, value: (row) => ofRow(row, "before", "self"), show: amount },
  { id: "after", title: () => `self after, ${unitName()}`, value: (row) => ofRow(row, "after", "self"), show: amount },
  { id: "delta", title: () => `change, ${changeUnit()}`, value: (row) => rowChange(row, "self"), show: difference, change: true },
  { id: "total", title: () => `change with callees, ${changeUnit()}`, value: (row) => rowChange(row, "total"), show: difference, change: true },
  { id: "gap", title: () => "of the gap %", value: (row) => row.gap_share_pct ?? null, show: (value) => signed(value, 2),
    change: true, shown: hasGap },
  { id: "noise", title: () => "noise", text: true, value: (row) => (rowIsSignificant(row) ? "beyond" : "within") },
  { id: "cause", title: () => "cause", text: true, value: (row) => {
    const found = verdicts.get(keyOf(row.name, row.object, row.file));
    return found ? found.verdict.cause : "";
  } },
]).filter((column) => column.shown !== false);

const FIRST_ROWS = 60;
const table = { sort: "delta", descending: true, all: false };

/**
 * Changes sort by size, whatever their sign.
 * @param {any} a @param {any} b
 */
function compareRows(a, b) {
  const column = columns.find((one) => one.id === table.sort) || columns[0];
  const [x, y] = [column.value(a), column.value(b)];
  const order = column.text ? String(x).localeCompare(String(y))
    : column.change ? Math.abs(x ?? 0) - Math.abs(y ?? 0) : x - y;
  return (table.descending ? -order : order) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
}

/** The rows that the filter and the choice of significance leave, sorted. */
function wantedRows() {
  const text = field("filter").value;
  let wanted = (/** @type {string} */ name) => name.toLowerCase().includes(text.toLowerCase());
  try {
    const pattern = new RegExp(text, "i");
    wanted = (name) => pattern.test(name);
  } catch { /* what is no pattern is plain text */ }
  const onlySignificant = field("significant").checked;
  return data.compare.functions
    .filter((/** @type {any} */ row) => (!onlySignificant || rowIsSignificant(row)) && (wanted(row.name) || wanted(row.object)))
    .sort(compareRows);
}

function drawTable() {
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.sort : null;
  const rows = wantedRows();
  const shown = table.all ? rows : rows.slice(0, FIRST_ROWS);
  const head = element("tr");
  for (const column of columns) {
    const order = table.sort === column.id ? (table.descending ? "descending" : "ascending") : "none";
    const button = element("button", { type: "button", "data-sort": column.id }, column.title());
    button.addEventListener("click", () => {
      sortBy(column, table.sort === column.id ? !table.descending : !column.text);
      drawTable();
      remember();
    });
    head.append(element("th", { scope: "col", class: `col-${column.id}${column.text ? "" : " number"}`, "aria-sort": order }, button));
  }
  const body = element("tbody");
  for (const row of shown) body.append(tableRow(row));
  byId("rows").replaceChildren(element("thead", {}, head), body);
  const again = focused ? byId("rows").querySelector(`[data-sort="${CSS.escape(focused)}"]`) : null;
  if (again instanceof HTMLElement) again.focus();
  const small = data.compare.functions_left_out.count;
  byId("shown").textContent = `${shown.length} of ${rows.length} functions` +
    (small ? `; ${small} more are left out, see the notes` : "");
  byId("more").hidden = shown.length === rows.length;
  byId("more").textContent = `Show all ${rows.length}`;
}

/** @param {any} row */
function tableRow(row) {
  const line = element("tr");
  const isSignificant = rowIsSignificant(row);
  for (const column of columns) {
    const value = column.value(row);
    if (column.id === "function") {
      const show = element("a", { href: "#flame", title: "Show it in the flame graph" }, row.name);
      show.addEventListener("click", (event) => { event.preventDefault(); showFunction(row.name, row.object); });
      const without = hasFrame(row.name, row.object) ? "" : ", no frame";
      line.append(element("td", { class: "name col-function" }, show, element("span", { class: "dim" }, " " + row.object + without)));
    } else if (column.id === "cause") {
      const found = verdicts.get(keyOf(row.name, row.object, row.file));
      const cell = element("td", { class: "col-cause" });
      if (found) cell.append(element("a", { href: "#v" + found.index }, value));
      line.append(cell);
    } else if (column.text) {
      line.append(element("td", { class: `col-${column.id}${isSignificant ? "" : " dim"}` }, value));
    } else {
      const tone = column.change && column.id !== "gap" && isSignificant ? (value > 0 ? " worse" : " better") : "";
      const within = column.id === "delta" && !isSignificant ? " dim" : "";
      const [low, high] = rowInterval(row);
      const chance = !isSignificant && (low > 0 || high < 0) ? "; too small to matter or, among so many functions, chance" : "";
      const interval = column.id === "delta" ? { title: `95 % ${difference(low)}..${difference(high)} ${changeUnit()}${chance}` } : {};
      line.append(element("td", { class: `col-${column.id} number${tone}${within}`, ...interval }, column.show ? column.show(value) : value));
    }
  }
  return line;
}

/** @param {Column} column @param {boolean} descending */
function sortBy(column, descending) {
  table.sort = column.id;
  table.descending = descending;
}

const FIRST_CARDS = 20;
/**
 * The rank of the part of the answer that bears a function's name.
 * @type {Map<string, number>}
 */
const partRanks = new Map(data.classify.findings.map((/** @type {any} */ part) => [part.name.split(" -> ").pop(), part.rank]));
/** @param {any} verdict @returns {number} */
const judgedChange = (verdict) => verdict[`delta_${verdict.judged_by}_pp`];

/** Verdicts on the parts of the answer, in its order; then those that say a cause, the largest changes first; then the unclear ones. */
function cardsInOrder() {
  const told = [...verdicts.values()];
  const rank = (/** @type {Told} */ { verdict }) => partRanks.get(verdict.function) ?? Infinity;
  const isUnclear = (/** @type {Told} */ { verdict }) => (verdict.confidence === "unclear" ? 1 : 0);
  const size = (/** @type {Told} */ { verdict }) => Math.abs(judgedChange(verdict));
  return told.sort((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)) || isUnclear(a) - isUnclear(b) || size(b) - size(a) ||
    (a.verdict.function < b.verdict.function ? -1 : 1));
}

/** @param {boolean} all */
function drawCards(all) {
  const told = cardsInOrder();
  const isFirst = (/** @type {Told} */ { verdict }) => verdict.confidence !== "unclear" || partRanks.has(verdict.function);
  const shown = all ? told : told.filter(isFirst).slice(0, FIRST_CARDS);
  byId("missing").replaceChildren(...data.classify.missing.map((/** @type {string} */ text) => element("p", { class: "dim" }, "missing: " + text)));
  byId("cards").replaceChildren(...shown.map((one) => card(one.verdict, one.index)));
  if (!told.length) byId("cards").append(element("p", {}, "Nothing changed by more than noise."));
  const unclear = told.filter(({ verdict }) => verdict.confidence === "unclear").length;
  byId("all-cards").hidden = shown.length === told.length;
  byId("all-cards").textContent = `Show all ${told.length} verdicts` + (unclear ? `, ${unclear} of them with an unclear cause` : "");
}

/** @param {any} verdict */
function evidenceOf(verdict) {
  const evidence = element("ul");
  for (const one of verdict.evidence) {
    evidence.append(element("li", {}, `${one.kind}${one.side ? ", " + one.side : ""}: ${one.text}`));
  }
  if (verdict.evidence_left_out) evidence.append(element("li", {}, `${verdict.evidence_left_out} facts: see pdiff explain`));
  return evidence;
}

/** @param {any} verdict @param {number} index */
function card(verdict, index) {
  const change = judgedChange(verdict);
  const summary = element("summary", {},
    element("b", { class: "name" }, verdict.function), ` ${signed(change, 2)} points of ${verdict.judged_by === "booked" ? "self by symbol" : verdict.judged_by}: `,
    element("b", {}, verdict.cause), verdict.confidence === verdict.cause ? " " : ` (${verdict.confidence}) `,
    ...verdict.tags.map((/** @type {string} */ tag) => element("span", { class: "tag" }, tag)));
  const facts = element("dl");
  const fact = (/** @type {string} */ name, /** @type {unknown[]} */ ...value) => facts.append(element("dt", {}, name), element("dd", {}, ...value));
  fact("why", verdict.reason);
  if (verdict.limited_by) fact("limited by", verdict.limited_by);
  for (const [name, key] of [["self", "self_pct"], ["self by symbol", "booked_self_pct"], ["total", "total_pct"]]) {
    fact(name, `${fixed(verdict.before[key], 2)} -> ${fixed(verdict.after[key], 2)} %`);
  }
  fact("95 % of self", `${signed(verdict.ci_low_pp, 2)}..${signed(verdict.ci_high_pp, 2)} points`);
  fact("in the builds", `before ${verdict.in_build.before}, after ${verdict.in_build.after}`);
  const show = element("a", { href: "#flame" }, "show in the flame graph");
  show.addEventListener("click", (event) => { event.preventDefault(); showFunction(verdict.function, verdict.object); });
  fact("object", verdict.object + (verdict.file ? ", " + verdict.file : "") + "; ", show);
  if (verdict.callers.length) fact("callers", verdict.callers.join(", "));
  fact("evidence", evidenceOf(verdict));
  fact("rule", verdict.rule_id);
  return element("details", { class: "card " + (change > 0 ? "up" : "down"), id: "v" + index }, summary, facts);
}
