// The reader of event streams in /client.js, by the rules of the HTML standard: each case whole, cut in two at each byte, and
// byte by byte. Usage: node --experimental-vm-modules Tests/Mirror/events.mjs

import { isDeepStrictEqual } from 'node:util';
import { Browser, Clock, Network, Page } from './browser.mjs';

const message = (data) => ['message', data];
/** The text of a stream, and its events. */
const cases = {
  'an event ends with an empty line': ['data: a\n\n', [message('a')]],
  'lines end with CR, LF or both': ['data: a\r\rdata: b\n\ndata: c\r\n\r\n', [message('a'), message('b'), message('c')]],
  'line ends mix in one event': ['data: a\rdata: b\r\ndata: c\n\r', [message('a\nb\nc')]],
  'CR and LF together are one end': ['data: a\r\ndata: b\r\n\r\n', [message('a\nb')]],
  'lines of data are joined': ['data: a\ndata: b\ndata\n\n', [message('a\nb\n')]],
  'data may be empty': ['data:\n\ndata\ndata\n\ndata: test\n\n', [message(''), message('\n'), message('test')]],
  'one space after the colon is left out': ['data:a\n\ndata: a\n\ndata:  a\n\ndata:\ta\n\n', [message('a'), message('a'), message(' a'), message('\ta')]],
  'comments count for nothing': [':\n: a\n:data: b\n\ndata: c\n:\n\n', [message('c')]],
  'a name holds for one event': ['event: one\ndata: a\n\ndata: b\n\n', [['one', 'a'], message('b')]],
  'the last name counts': ['event: one\nevent: two\ndata: a\n\n', [['two', 'a']]],
  'an empty name is none': ['event:\ndata: a\n\nevent\ndata: b\n\n', [message('a'), message('b')]],
  'an event without data is none, and its name goes': ['event: one\n\ndata: a\n\n', [message('a')]],
  'a byte order mark at the beginning is left out, once': ['\uFEFFdata: a\n\n', [message('a')]],
  'a second mark belongs to the name of the field': ['\uFEFF\uFEFFdata: a\n\ndata: b\n\n', [message('b')]],
  'a later mark belongs to the name of the field': ['data: a\n\n\uFEFFdata: b\n\n', [message('a')]],
  'other fields count for nothing': ['id: 1\nretry: 5\nwhat: x\ndata: a\n\n', [message('a')]],
  'names of fields are exact': ['Data: a\n data: b\ndata : c\nDATA: d\ndata: e\n\n', [message('e')]],
  'a line without a colon is the name of a field': ['nothing\ndata: a\n\n', [message('a')]],
  'the end of the stream ends no event': ['data: a\n\ndata: b\n', [message('a')]],
  'the end of the stream ends no line': ['data: a\n\ndata: b', [message('a')]],
  'the first colon counts': ['data: a:b: c\n\n', [message('a:b: c')]],
  'a null is a letter': ['data: a\0b\n\n', [message('a\0b')]],
  'letters of all planes': ['data: \u00e4\u4e16\u{1f600}\u2028\n\nevent: \u00fc\ndata: x\n\n', [message('\u00e4\u4e16\u{1f600}\u2028'), ['\u00fc', 'x']]],
  'empty lines alone are no events': ['\n\n\r\n\r\rdata: a\n\n\n\n', [message('a')]],
  'a name like one of an object': ['event: __proto__\ndata: {}\n\n', [['__proto__', '{}']]],
};

const clock = new Clock(), page = await new Page(new Browser(), new Network(clock, () => 'http://127.0.0.1:1'), clock).load();
let [count, wrong] = [0, 0];
for (const [name, [text, events]] of Object.entries(cases)) {
  const bytes = new TextEncoder().encode(text);
  const ways = [[bytes], [...bytes].map((byte) => Uint8Array.of(byte)), ...Array.from(bytes, (_, place) => [bytes.subarray(0, place), bytes.subarray(place)])];
  for (const parts of ways) {
    const found = [], parse = page.client.eventParser((...event) => found.push(event)), decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    for (const part of parts) parse(decoder.decode(part, { stream: true }));
    count += 1;
    if (isDeepStrictEqual(found, events)) continue;
    wrong += 1;
    console.log(`not ok: ${name}, in parts of ${parts.map(({ length }) => length)}: ${JSON.stringify(found)}`);
  }
}
console.log(`${Object.keys(cases).length} event streams in ${count} ways: ${wrong} wrong`);
process.exit(wrong ? 1 : 0);
