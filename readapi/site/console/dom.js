// Elements are built here and nowhere from markup: whatever an event says stays text.

// element makes an element. Attributes that begin with "on" are listeners; those that are undefined or false are left out.
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (attribute.startsWith("on")) made.addEventListener(attribute.slice(2), value);
    else made.setAttribute(attribute, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false));
  return made;
}

export const byID = (id) => document.getElementById(id);

// unseen is text for those who listen.
export const unseen = (text) => element("span", { class: "unseen" }, text);

// setText changes a text only when it is another: what somebody has selected, or is being read, is left alone.
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// keyed keeps one child of a container for each item, in their order: it makes those that are new, updates all, and takes
// away the others. What has the focus keeps it.
export function keyed(container, items, keyOf, make, update) {
  const before = new Map([...container.children].map((child) => [child.dataset.key, child]));
  let place = container.firstElementChild;
  for (const item of items) {
    const key = keyOf(item);
    let child = before.get(key);
    before.delete(key);
    if (!child) {
      child = make(item);
      child.dataset.key = key;
    }
    if (child === place) place = place.nextElementSibling;
    else container.insertBefore(child, place);
    update(child, item);
  }
  for (const gone of before.values()) gone.remove();
}

// facts is a list of names and values; a value is text or a node; those without one are left out.
export function facts(...pairs) {
  return element("dl", { class: "facts" }, pairs.filter((pair) => pair && pair[1] !== undefined && pair[1] !== null)
    .map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
}

// announce tells those who listen what has changed.
export function announce(text) {
  byID("announcer").textContent = text;
}
