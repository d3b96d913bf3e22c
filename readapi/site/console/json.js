// JSON as it was written: numbers keep their digits, and each value knows where in the text it stands.

const depthMax = 400;

// parse reads a text. A value has start and end, its places in the text, and kind: object, array, string, number or word.
// Objects and arrays have members: { name, value }, where name is the string as it was written, with its quotes, or the
// number of the item. It throws a SyntaxError for what is no JSON, and for what is nested too deeply to be shown.
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
    const made = { kind, start: at, end: pattern.lastIndex };
    at = pattern.lastIndex;
    return made;
  };
  const container = (kind, close, depth) => {
    if (depth > depthMax) throw wrong(`nested deeper than ${depthMax}`);
    const made = { kind, start: at++, end: 0, members: [] };
    skip();
    while (text[at] !== close) {
      if (made.members.length > 0) {
        if (text[at] !== ",") throw wrong("no comma");
        at++;
        skip();
      }
      let name = made.members.length;
      if (kind === "object") {
        const key = token("string");
        name = text.slice(key.start, key.end);
        skip();
        if (text[at++] !== ":") throw wrong("no colon");
      }
      made.members.push({ name, value: value(depth + 1) });
      skip();
    }
    made.end = ++at;
    return made;
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
  const made = value(0);
  skip();
  if (at !== text.length) throw wrong("more than one value");
  return made;
}

// find is the way from a value to what a JSON pointer (RFC 6901) names in it: all values on it, that itself last; undefined
// when there is nothing there. Of members with the same name the last one counts.
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
