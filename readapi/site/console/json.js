// A JSON parser that keeps the source text: numbers keep their digits, and each value has its position in the text.

const depthMax = 400;

// parse parses a text. A value has start and end, its positions in the text, and kind: object, array, string, number or
// word. Objects and arrays have members, { name, value }: name is the string as written, with its quotes, or the index
// of the item. parse throws a SyntaxError for invalid JSON, and for JSON that is nested too deeply to be shown.
export function parse(text) {
  let at = 0;
  const space = /[ \t\n\r]*/y;
  const tokens = { string: /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y, number: /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y, word: /true|false|null/y };
  const wrong = (what) => new SyntaxError(`${what} at character ${at}`);
  const skip = () => {
    space.lastIndex = at;
    space.test(text);
    at = space.lastIndex;
  };
  const token = (kind) => {
    const pattern = tokens[kind];
    pattern.lastIndex = at;
    if (!pattern.test(text)) throw wrong(`no ${kind}`);
    const parsed = { kind, start: at, end: pattern.lastIndex };
    at = pattern.lastIndex;
    return parsed;
  };
  const container = (kind, close, depth) => {
    if (depth > depthMax) throw wrong(`nested deeper than ${depthMax}`);
    const parsed = { kind, start: at++, end: 0, members: [] };
    skip();
    while (text[at] !== close) {
      if (parsed.members.length > 0) {
        if (text[at] !== ",") throw wrong("no comma");
        at++;
        skip();
      }
      let name = parsed.members.length;
      if (kind === "object") {
        const key = token("string");
        name = text.slice(key.start, key.end);
        skip();
        if (text[at++] !== ":") throw wrong("no colon");
      }
      parsed.members.push({ name, value: value(depth + 1) });
      skip();
    }
    parsed.end = ++at;
    return parsed;
  };
  const value = (depth) => {
    skip();
    switch (text[at]) {
      case "{": return container("object", "}", depth);
      case "[": return container("array", "]", depth);
      case '"': return token("string");
      case "t": case "f": case "n": return token("word");
      default: return token("number");
    }
  };
  const parsed = value(0);
  skip();
  if (at !== text.length) throw wrong("more than one value");
  return parsed;
}

// find returns the way from a value to the target of a JSON pointer (RFC 6901): all values on the way, the target last.
// It returns undefined when the pointer has no target. Of members with the same name the last one counts.
export function find(value, pointer) {
  const way = [value];
  if (pointer === "") return way;
  if (!pointer.startsWith("/")) return undefined;
  for (const part of pointer.slice(1).split("/")) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    const from = way.at(-1);
    const member = from.kind === "object" ? from.members.findLast((m) => JSON.parse(m.name) === name)
      : from.kind === "array" && /^(0|[1-9][0-9]*)$/.test(name) ? from.members[Number(name)] : undefined;
    if (!member) return undefined;
    way.push(member.value);
  }
  return way;
}
