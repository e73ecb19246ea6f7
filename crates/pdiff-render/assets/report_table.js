"use strict";
// Table of functions and verdict cards. All text of the profile goes in as text, never as markup.

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

/** What has no width or turns the text around it is spelled out. */
const visible = (text) => String(text).replace(
  /[\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufffe\uffff]/g,
  (c) => "\\u{" + c.codePointAt(0).toString(16) + "}");

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) made.setAttribute(name, value);
  for (const child of children) made.append(child instanceof Node ? child : visible(child));
  return made;
}

const fixed = (value, places) => (typeof value === "number" ? value.toFixed(places) : "-");
const signed = (value, places) => (typeof value === "number" ? (value < 0 ? "" : "+") + value.toFixed(places) : "-");

const keyOf = (name, object, file) => [name, object, file || ""].join("\u0000");
const verdicts = new Map();
data.classify.verdicts.forEach((verdict, index) => {
  if (verdict.cause !== "noise") verdicts.set(keyOf(verdict.function, verdict.object, verdict.file), { verdict, index });
});

/** Frames do not say their file: of several verdicts on one name none is told. */
const verdictsByName = new Map();
for (const told of verdicts.values()) {
  const key = keyOf(told.verdict.function, told.verdict.object);
  verdictsByName.set(key, verdictsByName.has(key) ? null : told);
}

const hasKey = (key) => data.compare.functions.some((row) => (row.before || row.after || {})[key] !== undefined);
const isTime = hasKey("self_per_op_ns");
const hasCost = isTime || hasKey("self_per_op");
const hasGap = data.compare.functions.some((row) => typeof row.gap_share_pct === "number");
const side = (row, key, name) => (row[key] ? row[key][name] : 0);
const costOf = (row, key) => (row[key] ? (row[key].self_per_op_ns ?? row[key].self_per_op ?? 0) : 0);

const columns = [
  { id: "function", title: "function", text: true, value: (row) => row.name },
  { id: "before", title: "self before %", value: (row) => side(row, "before", "self_pct"), places: 2 },
  { id: "after", title: "self after %", value: (row) => side(row, "after", "self_pct"), places: 2 },
  { id: "delta", title: "change, points", value: (row) => row.delta_self_pp, places: 2, change: true },
  { id: "total", title: "change of total", value: (row) => row.delta_total_pp, places: 2, change: true },
  { id: "cost", title: isTime ? "change per operation, ns" : "change per operation", places: isTime ? 0 : 1,
    value: (row) => costOf(row, "after") - costOf(row, "before"), change: true, shown: hasCost },
  { id: "gap", title: "of the gap %", value: (row) => row.gap_share_pct ?? null, places: 2, change: true, shown: hasGap },
  { id: "noise", title: "noise", text: true, value: (row) => (row.significant ? "beyond" : "within") },
  { id: "cause", title: "cause", text: true, value: (row) => {
    const found = verdicts.get(keyOf(row.name, row.object, row.file));
    return found ? found.verdict.cause : "";
  } },
].filter((column) => column.shown !== false);

const FIRST_ROWS = 60;
const table = { sort: "delta", descending: true, all: false };

/** Changes sort by size, whatever their sign. */
function compareRows(a, b) {
  const column = columns.find((one) => one.id === table.sort) || columns[0];
  const [x, y] = [column.value(a), column.value(b)];
  const order = column.text ? String(x).localeCompare(String(y))
    : column.change ? Math.abs(x ?? 0) - Math.abs(y ?? 0) : x - y;
  return (table.descending ? -order : order) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
}

function drawTable() {
  const wanted = byId("filter").value.toLowerCase();
  const onlySignificant = byId("significant").checked;
  const rows = data.compare.functions.filter((row) =>
    (!onlySignificant || row.significant) && (row.name + " " + row.object).toLowerCase().includes(wanted));
  rows.sort(compareRows);
  const shown = table.all ? rows : rows.slice(0, FIRST_ROWS);
  const head = element("tr");
  for (const column of columns) {
    const order = table.sort === column.id ? (table.descending ? "descending" : "ascending") : "none";
    const button = element("button", { type: "button", "data-sort": column.id }, column.title);
    button.addEventListener("click", () => {
      sortBy(column, table.sort === column.id ? !table.descending : !column.text);
      drawTable();
    });
    head.append(element("th", { scope: "col", class: column.text ? "" : "number", "aria-sort": order }, button));
  }
  const body = element("tbody");
  for (const row of shown) body.append(tableRow(row));
  byId("rows").replaceChildren(element("thead", {}, head), body);
  const small = data.compare.functions_left_out.count;
  byId("shown").textContent = `${shown.length} of ${rows.length} functions` +
    (small ? `; ${small} more are left out, see the notes` : "");
  byId("more").hidden = shown.length === rows.length;
  byId("more").textContent = `Show all ${rows.length}`;
}

function tableRow(row) {
  const line = element("tr");
  for (const column of columns) {
    const value = column.value(row);
    if (column.id === "function") {
      const show = element("a", { href: "#flame", title: "Show it in the flame graph" }, row.name);
      show.addEventListener("click", () => searchFor("^" + row.name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") + "$"));
      line.append(element("td", { class: "name" }, show, element("span", { class: "dim" }, " " + row.object)));
    } else if (column.id === "cause") {
      const found = verdicts.get(keyOf(row.name, row.object, row.file));
      const cell = element("td");
      if (found) cell.append(element("a", { href: "#v" + found.index }, value));
      line.append(cell);
    } else if (column.text) {
      line.append(element("td", { class: row.significant ? "" : "dim" }, value));
    } else {
      const tone = column.change && column.id !== "gap" && row.significant ? (value > 0 ? " worse" : " better") : "";
      const interval = column.id === "delta"
        ? { title: `95 % ${signed(row.ci_low_pp, 2)}..${signed(row.ci_high_pp, 2)}` } : {};
      const text = column.change ? signed(value, column.places) : fixed(value, column.places);
      line.append(element("td", { class: "number" + tone, ...interval }, text));
    }
  }
  return line;
}

function sortBy(column, descending) {
  table.sort = column.id;
  table.descending = descending;
}

function drawCards() {
  for (const text of data.classify.missing) byId("missing").append(element("p", { class: "dim" }, "missing: " + text));
  const told = [...verdicts.values()];
  const change = ({ verdict }) => verdict[`delta_${verdict.judged_by}_pp`];
  told.sort((a, b) => Math.abs(change(b)) - Math.abs(change(a)) || (a.verdict.function < b.verdict.function ? -1 : 1));
  for (const one of told) byId("cards").append(card(one.verdict, one.index, change(one)));
  if (!told.length) byId("cards").append(element("p", {}, "Nothing changed by more than noise."));
}

function card(verdict, index, change) {
  const summary = element("summary", {},
    element("b", { class: "name" }, verdict.function), ` ${signed(change, 2)} points of ${verdict.judged_by}: `,
    element("b", {}, verdict.cause), verdict.confidence === verdict.cause ? " " : ` (${verdict.confidence}) `,
    ...verdict.tags.map((tag) => element("span", { class: "tag" }, tag)));
  const facts = element("dl");
  const fact = (name, ...value) => facts.append(element("dt", {}, name), element("dd", {}, ...value));
  fact("why", verdict.reason);
  if (verdict.limited_by) fact("limited by", verdict.limited_by);
  for (const [name, key] of [["self", "self_pct"], ["booked", "booked_self_pct"], ["total", "total_pct"]]) {
    fact(name, `${fixed(verdict.before[key], 2)} -> ${fixed(verdict.after[key], 2)} %`);
  }
  fact("95 % of self", `${signed(verdict.ci_low_pp, 2)}..${signed(verdict.ci_high_pp, 2)} points`);
  fact("in the builds", `before ${verdict.in_build.before}, after ${verdict.in_build.after}`);
  fact("object", verdict.object + (verdict.file ? ", " + verdict.file : ""));
  if (verdict.callers.length) fact("callers", verdict.callers.join(", "));
  const evidence = element("ul");
  for (const one of verdict.evidence) {
    evidence.append(element("li", {}, `${one.kind}${one.side ? ", " + one.side : ""}: ${one.text}`));
  }
  if (verdict.evidence_left_out) evidence.append(element("li", {}, `${verdict.evidence_left_out} facts: see pdiff explain`));
  fact("evidence", evidence);
  fact("rule", verdict.rule_id);
  return element("details", { class: "card " + (change > 0 ? "up" : "down"), id: "v" + index }, summary, facts);
}
