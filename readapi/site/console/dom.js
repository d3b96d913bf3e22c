// Elements are created here, and never from markup, so that the contents of events stay text.

// element creates an element. Attributes that begin with "on" are listeners. Undefined, null and false attributes and
// children are left out.
export function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (attribute.startsWith("on")) node.addEventListener(attribute.slice(2), value);
    else node.setAttribute(attribute, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false));
  return node;
}

export const byID = (id) => document.getElementById(id);

// unseen returns text for screen readers only.
export const unseen = (text) => element("span", { class: "unseen" }, text);

// setText sets a text only if it differs, so that an equal text keeps the user's selection and is not read aloud again.
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// setLink sets a text that leads to href, or a text alone where there is none.
export function setLink(node, text, href) {
  if (!href) return setText(node, text);
  let a = node.querySelector("a");
  if (!a) {
    a = element("a", {});
    node.replaceChildren(a);
  }
  if (a.getAttribute("href") !== href) a.setAttribute("href", href);
  setText(a, text);
}

// keyed keeps one child of a container for each item, in the order of the items: it creates the missing children,
// updates all, and removes the others. An element that has the focus keeps it.
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

// facts returns a list of names and values. A value is text or a node; pairs without a value are left out.
export function facts(...pairs) {
  return element("dl", { class: "facts" }, pairs.filter((pair) => pair && pair[1] !== undefined && pair[1] !== null && pair[1] !== false)
    .map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
}

// announce tells screen readers what has changed.
export function announce(text) {
  byID("announcer").textContent = text;
}
