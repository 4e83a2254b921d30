// The position of each value in a JSON text, to show a fault at its place.

/** Parses a text: returns the value and `range(pointer)`, or the fault with its offset. */
export function readJSON(text) {
  const ranges = new Map();
  let at = 0;
  const fail = (what) => { throw Object.assign(new Error(what), { offset: at }); };
  const skip = () => { while (at < text.length && ' \t\r\n'.includes(text[at])) at += 1; };
  const literal = /(?:"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null)/y;
  const scalar = () => {
    literal.lastIndex = at;
    const [found] = literal.exec(text) ?? [];
    if (found === undefined) fail(at >= text.length ? 'the text ends where a value should be' : `“${text[at]}” cannot begin a value here`);
    at += found.length;
    return JSON.parse(found);
  };
  const value = (pointer) => {
    skip();
    const start = at;
    let result;
    if (text[at] === '{') result = members(pointer);
    else if (text[at] === '[') result = elements(pointer);
    else result = scalar();
    ranges.set(pointer, [start, at]);
    return result;
  };
  const separated = (end, read) => {
    at += 1;
    skip();
    if (text[at] === end) { at += 1; return; }
    for (;;) {
      read();
      skip();
      if (text[at] === end) { at += 1; return; }
      if (text[at] !== ',') fail(at >= text.length ? `the text ends before “${end}”` : `a comma or “${end}” should be here`);
      at += 1;
      skip();
    }
  };
  const members = (pointer) => {
    const result = {};
    separated('}', () => {
      skip();
      if (text[at] !== '"') fail('a member’s name, in quotation marks, should be here');
      const start = at;
      const name = scalar();
      const inner = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      ranges.set(`${inner}#`, [start, at]);
      skip();
      if (text[at] !== ':') fail('a colon should be here');
      at += 1;
      result[name] = value(inner);
    });
    return result;
  };
  const elements = (pointer) => {
    const result = [];
    separated(']', () => result.push(value(`${pointer}/${result.length}`)));
    return result;
  };
  try {
    const result = value('');
    skip();
    if (at < text.length) fail('nothing should follow here');
    return {
      value: result,
      /** Returns the range of a pointer, or of its nearest ancestor; with `character` that of a word in a text, from 1. */
      range(pointer, character = 0) {
        const [opening, closing] = ranges.get(pointer) ?? [0, 0];
        if (character > 0 && text[opening] === '"') {
          let place = opening + 1;
          for (let count = 1; count < character && place < closing - 1; count += 1) place += text[place] !== '\\' ? 1 : text[place + 1] === 'u' ? 6 : 2;
          const [word] = /^[\w$]*/.exec(text.slice(place, closing - 1));
          return [Math.min(place, closing - 1), Math.min(place + Math.max(1, word.length), closing - 1)];
        }
        let near = pointer;
        while (near && !ranges.has(near)) near = near.slice(0, near.lastIndexOf('/'));
        const [valueStart, end] = ranges.get(near) ?? [0, text.length];
        // The range includes the member's name, which can be the fault.
        const [start] = ranges.get(`${near}#`) ?? [valueStart];
        // For a long value with a missing part the first line is enough.
        const line = text.indexOf('\n', start);
        return line >= 0 && line < end ? [start, line] : [start, end];
      },
    };
  } catch (error) {
    if (error.offset === undefined) throw error;
    return { fault: error };
  }
}
