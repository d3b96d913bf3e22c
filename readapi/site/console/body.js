// The body of an event: as a tree, or verbatim, with what JSON pointers name marked in it.

import { element, unseen } from "./dom.js";
import { count, some } from "./format.js";
import { find, parse } from "./json.js";

const atOnce = 100;  // members that are shown at a time
const around = 5;    // members that are shown beside one that is open, among many
const textMax = 600; // characters of a string that are shown at first
const openMax = 300; // values of what is marked that are shown open

// bodyView shows bytes. It has an element, and reveal, which scrolls to what is marked once the element is in the page.
export function bodyView(bytes, pointers) {
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return simple(dump(bytes), "These bytes are not UTF-8: here are the first of them.");
  }
  let root;
  try {
    root = parse(text);
  } catch (error) {
    return simple(text, text === "" ? "The body is empty." : `This is no JSON that can be shown as a tree (${error.message}).`);
  }
  const ways = pointers.map((pointer) => ({ pointer, way: find(root, pointer) }));
  const missing = ways.filter(({ way }) => !way).map(({ pointer }) => pointer);
  const found = ways.filter(({ way }) => way);
  const box = element("div", { class: "body", tabindex: "0", role: "region", "aria-label": "Body of the event" });
  const show = { pretty: () => element("div", { class: "tree" }, tree(text, root, found)), verbatim: () => element("pre", {}, verbatim(text, found)) };
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

// dump shows the first bytes in rows of 16.
function dump(bytes) {
  const lines = [];
  for (let at = 0; at < Math.min(bytes.length, 1024); at += 16) {
    const row = Array.from(bytes.subarray(at, at + 16));
    lines.push(at.toString(16).padStart(8, "0") + "  " + row.map((b) => b.toString(16).padStart(2, "0")).join(" ").padEnd(49) + row.map((b) => (b >= 32 && b < 127 ? String.fromCharCode(b) : ".")).join(""));
  }
  return lines.join("\n");
}

// verbatim is the text with marks. Of marks within marks, the outermost count.
function verbatim(text, found) {
  const parts = [];
  let at = 0;
  for (const { pointer, way } of found.toSorted((a, b) => a.way.at(-1).start - b.way.at(-1).start || b.way.at(-1).end - a.way.at(-1).end)) {
    const { start, end } = way.at(-1);
    if (start < at) continue;
    parts.push(text.slice(at, start), element("mark", { class: "pointed", "data-pointer": pointer }, text.slice(start, end)));
    at = end;
  }
  return [...parts, text.slice(at)];
}

// tree shows a value with what is marked open, and the rest to be opened. What is closed is not made before it is opened.
function tree(text, root, found) {
  const open = new Set(found.flatMap(({ way }) => way));
  const marked = new Map(found.map(({ pointer, way }) => [way.at(-1), pointer]));
  open.add(root);

  const draw = (value, name, isLast, inMark) => {
    const label = typeof name === "string" ? [element("span", { class: "name" }, name), ": "] : [];
    const comma = isLast ? "" : ",";
    const pointer = marked.get(value);
    const line = value.members?.length > 0 ? container(value, label, comma, inMark || pointer !== undefined)
      : element("div", { class: "line" }, label, leaf(text, value), comma);
    if (pointer === undefined) return line;
    return element("div", { class: "pointed", "data-pointer": pointer }, unseen(`What ${pointer} points to: `), line);
  };
  const container = (value, label, comma, inMark) => {
    const [start, end] = value.kind === "object" ? ["{", "}"] : ["[", "]"];
    const what = value.kind === "object" ? some(value.members.length, "member", "members") : some(value.members.length, "item", "items");
    const made = element("details", {}, element("summary", { class: "line" }, label, start, element("span", { class: "closed" }, ` ${what} `, end, comma)));
    const fill = () => {
      if (made.childElementCount === 1) made.append(element("div", { class: "members" }, members(value, inMark)), element("div", { class: "line" }, end, comma));
    };
    made.addEventListener("toggle", () => made.open && fill());
    if (open.has(value) || (inMark && weigh(value, openMax) < openMax)) {
      fill();
      made.open = true;
    }
    return made;
  };
  const one = (value, i, inMark) => draw(value.members[i].value, value.members[i].name, i === value.members.length - 1, inMark);
  const members = (value, inMark) => {
    const n = value.members.length;
    if (n <= atOnce) return value.members.map((_, i) => one(value, i, inMark));
    const shown = new Array(n).fill(false).fill(true, 0, atOnce / 5);
    value.members.forEach((member, i) => open.has(member.value) && shown.fill(true, Math.max(0, i - around), i + around + 1));
    const parts = [];
    for (let i = 0; i < n; i++) {
      if (shown[i]) {
        parts.push(one(value, i, inMark));
        continue;
      }
      const from = i;
      while (i + 1 < n && !shown[i + 1]) i++;
      parts.push(gap(value, from, i + 1, inMark));
    }
    return parts;
  };
  const gap = (value, from, to, inMark) => {
    const button = element("button", { type: "button", class: "plain", onclick: () => {
      const end = Math.min(to, from + atOnce);
      const made = [];
      for (let i = from; i < end; i++) made.push(one(value, i, inMark));
      if (end < to) made.push(gap(value, end, to, inMark));
      box.replaceWith(...made);
    } }, `… ${count(to - from)} more: show ${to - from > atOnce ? atOnce : "them"}`);
    const box = element("div", { class: "line" }, button);
    return box;
  };
  return draw(root, undefined, true, false);
}

// weigh counts the values in a value, but not beyond most.
function weigh(value, most) {
  let n = 1;
  for (const member of value.members ?? []) {
    if (n >= most) break;
    n += weigh(member.value, most - n);
  }
  return n;
}

// leaf is a value without members. Long strings are cut, and can be shown as a whole.
function leaf(text, value) {
  const said = text.slice(value.start, value.end);
  const made = element("span", { class: value.kind }, said.slice(0, textMax));
  if (said.length <= textMax) return made;
  const more = element("button", { type: "button", class: "plain", onclick: () => {
    made.textContent = said;
    more.remove();
  } }, `… ${count(said.length - textMax)} more characters`);
  return [made, more];
}
