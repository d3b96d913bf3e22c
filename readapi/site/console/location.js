// The fragment of the address holds the state of the page, so that a link leads to the same view:
// #/trace?path=…&seq=…&pointer=…

// place parses the address. view is "overview" or "trace"; q, path, cursor and seq are texts, empty when absent.
export function place() {
  const [view, query] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const parameters = new URLSearchParams(query ?? "");
  const text = (name) => parameters.get(name) ?? "";
  return { view: view === "trace" ? "trace" : "overview", q: text("q"), path: text("path"), cursor: text("cursor"), seq: text("seq"), pointers: parameters.getAll("pointer") };
}

// link returns the fragment that leads to a place in the trace view.
export function link({ q, path, cursor, seq, pointers }) {
  const parameters = new URLSearchParams();
  for (const [name, value] of [["q", q], ["path", path], ["cursor", cursor], ["seq", seq]]) if (value) parameters.set(name, value);
  for (const pointer of pointers ?? []) parameters.append("pointer", pointer);
  return parameters.size === 0 ? "#/trace" : "#/trace?" + parameters;
}
