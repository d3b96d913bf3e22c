// The body of an event, as a tree or verbatim, with the targets of JSON pointers marked.

import { element, unseen } from "./dom.js";
import { count, some } from "./format.js";
import { identified } from "./ids.js";
import { find, parse } from "./json.js";

const pageSize = 100; // members that are shown at a time
const context = 5;    // members that are shown on each side of an open one, in a long list
const textMax = 600;  // characters of a string that are shown at first
const openMax = 300;  // values within a mark below which the whole mark is shown open

// bodyView returns a view of bytes: its element, and reveal, which scrolls to the first mark once the element is in the
// page.
export function bodyView(bytes, pointers) {
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return simple(dump(bytes), "These bytes are not UTF-8. This is a dump of the first of them.");
  }
  let root;
  try {
    root = parse(text);
  } catch (error) {
    return simple(text, text === "" ? "The body is empty." : `This body cannot be shown as a JSON tree (${error.message}).`);
  }
  const targets = pointers.map((pointer) => ({ pointer, way: find(root, pointer) }));
  const missing = targets.filter(({ way }) => !way).map(({ pointer }) => pointer);
  const marks = targets.filter(({ way }) => way);
  const box = element("div", { class: "body", tabindex: "0", role: "region", "aria-label": "Body of the event" });
  const show = { pretty: () => element("div", { class: "tree" }, tree(text, root, marks)), verbatim: () => element("pre", {}, verbatim(text, marks)) };
  const buttons = Object.keys(show).map((name) => element("button", { type: "button", class: "plain", "aria-pressed": "false", "data-form": name, onclick: () => choose(name) }, name === "pretty" ? "Pretty" : "Verbatim"));
  const reveal = () => {
    const mark = box.querySelector(".pointed");
    if (mark) box.scrollTop = Math.max(0, mark.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop - 48);
    else box.scrollTop = 0;
  };
  const choose = (name) => {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.form === name));
    box.replaceChildren(show[name]());
    reveal();
  };
  choose("pretty");
  return {
    element: element("div", {},
      element("div", { class: "forms", role: "group", "aria-label": "Form of the body" }, buttons),
      missing.length > 0 && element("p", { class: "problem" }, "The body has nothing at ", missing.map((pointer, i) => [i > 0 && ", ", element("code", {}, pointer)])),
      box),
    reveal,
  };
}

function simple(text, about) {
  return {
    element: element("div", {}, element("p", { class: "about" }, about), text !== "" && element("div", { class: "body", tabindex: "0", role: "region", "aria-label": "Body of the event" }, element("pre", {}, text))),
    reveal: () => {},
  };
}

// dump returns a hex dump of the first 1024 bytes, in rows of 16.
function dump(bytes) {
  const lines = [];
  for (let at = 0; at < Math.min(bytes.length, 1024); at += 16) {
    const row = Array.from(bytes.subarray(at, at + 16));
    lines.push(at.toString(16).padStart(8, "0") + "  " + row.map((b) => b.toString(16).padStart(2, "0")).join(" ").padEnd(49) + row.map((b) => (b >= 32 && b < 127 ? String.fromCharCode(b) : ".")).join(""));
  }
  return lines.join("\n");
}

// verbatim returns the text with marks. A mark within another mark is left out.
function verbatim(text, marks) {
  const parts = [];
  let at = 0;
  for (const { pointer, way } of marks.toSorted((a, b) => a.way.at(-1).start - b.way.at(-1).start || b.way.at(-1).end - a.way.at(-1).end)) {
    const { start, end } = way.at(-1);
    if (start < at) continue;
    parts.push(text.slice(at, start), element("mark", { class: "pointed", "data-pointer": pointer }, text.slice(start, end)));
    at = end;
  }
  return [...parts, text.slice(at)];
}

// tree returns the root value with its marked values open and all others closed. It creates the elements of a closed
// value only when the user opens it.
function tree(text, root, marks) {
  const open = new Set(marks.flatMap(({ way }) => way));
  const marked = new Map(marks.map(({ pointer, way }) => [way.at(-1), pointer]));
  open.add(root);

  const draw = (value, name, isLast, inMark) => {
    const label = typeof name === "string" ? [element("span", { class: "name" }, name), ": "] : [];
    const comma = isLast ? "" : ",";
    const pointer = marked.get(value);
    const line = value.members?.length > 0 ? container(value, label, comma, inMark || pointer !== undefined)
      : element("div", { class: "line" }, label, leaf(text, value, name), comma);
    if (pointer === undefined) return line;
    return element("div", { class: "pointed", "data-pointer": pointer }, unseen(`What ${pointer} points to: `), line);
  };
  const container = (value, label, comma, inMark) => {
    const [start, end] = value.kind === "object" ? ["{", "}"] : ["[", "]"];
    const what = value.kind === "object" ? some(value.members.length, "member", "members") : some(value.members.length, "item", "items");
    const details = element("details", {}, element("summary", { class: "line" }, label, start, element("span", { class: "closed" }, ` ${what} `, end, comma)));
    const fill = () => {
      if (details.childElementCount === 1) details.append(element("div", { class: "members" }, members(value, inMark)), element("div", { class: "line" }, end, comma));
    };
    details.addEventListener("toggle", () => details.open && fill());
    if (open.has(value) || (inMark && weigh(value, openMax) < openMax)) {
      fill();
      details.open = true;
    }
    return details;
  };
  const memberLine = (value, i, inMark) => draw(value.members[i].value, value.members[i].name, i === value.members.length - 1, inMark);
  const members = (value, inMark) => {
    const n = value.members.length;
    if (n <= pageSize) return value.members.map((_, i) => memberLine(value, i, inMark));
    const visible = new Array(n).fill(false).fill(true, 0, pageSize / 5);
    value.members.forEach((member, i) => open.has(member.value) && visible.fill(true, Math.max(0, i - context), i + context + 1));
    const parts = [];
    for (let i = 0; i < n; i++) {
      if (visible[i]) {
        parts.push(memberLine(value, i, inMark));
        continue;
      }
      const from = i;
      while (i + 1 < n && !visible[i + 1]) i++;
      parts.push(gap(value, from, i + 1, inMark));
    }
    return parts;
  };
  const gap = (value, from, to, inMark) => {
    const button = element("button", { type: "button", class: "plain", onclick: () => {
      const end = Math.min(to, from + pageSize);
      const parts = [];
      for (let i = from; i < end; i++) parts.push(memberLine(value, i, inMark));
      if (end < to) parts.push(gap(value, end, to, inMark));
      box.replaceWith(...parts);
    } }, `… ${count(to - from)} more: show ${to - from > pageSize ? pageSize : "them"}`);
    const box = element("div", { class: "line" }, button);
    return box;
  };
  return draw(root, undefined, true, false);
}

// weigh counts the values in a value, up to max.
function weigh(value, max) {
  let n = 1;
  for (const member of value.members ?? []) {
    if (n >= max) break;
    n += weigh(member.value, max - n);
  }
  return n;
}

// identifiedSource returns a value as it was written, as a link if it is an identifier. The name of a member is written in quotes.
function identifiedSource(source, value, name) {
  const member = typeof name === "string" ? JSON.parse(name) : "";
  if (value.kind === "number") return identified(member, source, {}, source);
  return value.kind === "string" ? identified(member, JSON.parse(source), {}, source) : source;
}

// leaf returns a value without members. It cuts long strings, with a button that shows the whole string.
function leaf(text, value, name) {
  const source = text.slice(value.start, value.end);
  const span = element("span", { class: value.kind }, source.length <= textMax ? identifiedSource(source, value, name) : source.slice(0, textMax));
  if (source.length <= textMax) return span;
  const more = element("button", { type: "button", class: "plain", onclick: () => {
    span.textContent = source;
    more.remove();
  } }, `… ${count(source.length - textMax)} more characters`);
  return [span, more];
}
