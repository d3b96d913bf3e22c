// What is shown is in the fragment of the address, so that a link leads to the same: #/trace?path=…&seq=…&pointer=…

// place reads the address: view is overview or trace, and q, path, cursor and seq are texts, empty when they are not there.
export function place() {
  const [view, query] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const asked = new URLSearchParams(query ?? "");
  const text = (name) => asked.get(name) ?? "";
  return { view: view === "trace" ? "trace" : "overview", q: text("q"), path: text("path"), cursor: text("cursor"), seq: text("seq"), pointers: asked.getAll("pointer") };
}

// link is the fragment that leads to a place of the view trace.
export function link({ q, path, cursor, seq, pointers }) {
  const asked = new URLSearchParams();
  for (const [name, value] of [["q", q], ["path", path], ["cursor", cursor], ["seq", seq]]) if (value) asked.set(name, value);
  for (const pointer of pointers ?? []) asked.append("pointer", pointer);
  return asked.size === 0 ? "#/trace" : "#/trace?" + asked;
}
