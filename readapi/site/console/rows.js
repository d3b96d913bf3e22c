// The rows of a trace. Consecutive rows of the same table share one HTML table.

import { element, facts } from "./dom.js";
import { count, some } from "./format.js";
import { identified } from "./ids.js";
import { link } from "./location.js";

// rowGroups returns the elements for the rows of a trace. now is the current place, on which the links build.
export function rowGroups(traced, now) {
  const events = new Map(traced.events.map((event) => [event.seq, event]));
  const groups = [];
  for (const row of traced.rows) {
    if (groups.at(-1)?.table === row.table) groups.at(-1).rows.push(row);
    else groups.push({ table: row.table, rows: [row] });
  }
  return groups.map((group) => element("div", { class: "group" },
    element("h3", {}, element("code", {}, group.table), group.rows.length > 1 && element("span", { class: "quiet" }, ` ${some(group.rows.length, "row", "rows")}`)),
    group.rows.length === 1 ? single(group.rows[0], events, now) : table(group, events, now)));
}

const textOf = (value) => (typeof value === "object" ? JSON.stringify(value) : String(value));
const code = (name, value, row) => element("span", { class: "code" }, identified(name, value, row, textOf(value)));
const columnsOf = (object, row) => Object.entries(object).filter(([, value]) => value !== null).map(([name, value]) => [name, code(name, value, row)]);

function single(row, events, now) {
  const all = { ...row.values, ...row.key };
  return [
    element("div", { class: "columns" }, facts(...columnsOf(row.key, all)), facts(...columnsOf(row.values, all))),
    element("p", { class: "sources" }, row.sources.length === 0 ? "This row names no event." : "From ", links(row, events, now)),
  ];
}

// table returns a table of the columns that differ between the rows. Values that are the same in all rows stand above
// it.
function table(group, events, now) {
  const cells = group.rows.map((row) => ({ ...row.values, ...row.key }));
  const names = [...new Set(group.rows.flatMap((row) => [...Object.keys(row.key), ...Object.keys(row.values)]))];
  const valueOf = (cell, name) => cell[name] ?? null;
  const same = names.filter((name) => cells.every((cell) => textOf(valueOf(cell, name)) === textOf(valueOf(cells[0], name))));
  const differ = names.filter((name) => !same.includes(name));
  const numeric = new Set(differ.filter((name) => cells.every((cell) => /^(-?[0-9]+)?$/.test(valueOf(cell, name) ?? ""))));
  const kind = (name) => (numeric.has(name) ? "number" : undefined);
  return [
    facts(...same.filter((name) => valueOf(cells[0], name) !== null).map((name) => [name, code(name, valueOf(cells[0], name), cells[0])])),
    element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": `Rows of ${group.table}` }, element("table", {},
      element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "from"), differ.map((name) => element("th", { scope: "col", class: kind(name) }, name)))),
      element("tbody", {}, group.rows.map((row, i) => element("tr", {},
        element("td", {}, element("div", { class: "sources" }, links(row, events, now))),
        differ.map((name) => element("td", { class: kind(name) }, cellText(name, valueOf(cells[i], name), cells[i])))))))),
  ];
}

const cellText = (name, value, row) => value !== null && element("span", { class: textOf(value).length > 24 ? "code long" : "code" }, identified(name, value, row, textOf(value)));

const links = (row, events, now) => row.sources.map((source) => {
  const { pointers } = source;
  const event = events.get(source.seq);
  return element("a", { href: link({ ...now, seq: String(source.seq), pointers }), "data-seq": source.seq, title: `${source.column}${event ? `: posted to ${event.path}` : ""}` },
    `event ${count(source.seq)}`,
    pointers.slice(0, 3).map((pointer) => pointer !== "" && [" ", element("code", {}, pointer)]),
    pointers.length > 3 && ` and ${count(pointers.length - 3)} more`);
});
