// The cases of the project's conformance files that concern what the engine in browsers has.
// Usage: node --experimental-vm-modules Tests/Mirror/cases.mjs FILE…

import { readFileSync } from 'node:fs';
import { runInContext } from 'node:vm';
import { Browser, Clock, Network, Page } from './browser.mjs';

// The engine has none of these; the plan of a feature names them where an action uses them.
const missing = /\b[bB][rR]?["']|[0-9a-fA-F][uU]\b|\b(?:uint|bytes)\(|\b(matches|(?<![.'"])\b(?:int|uint|double|bool|string|bytes|list|map|type|null_type)\b(?![.('"\w])|format|math\.bit\w+|math\.is\w+|sets\.\w+|strings\.quote|base64\.\w+)\b|get\w+\(['"]|\btype\(/;
// Names of packages, which no document has, and calls that documents permit and the strict language does not.
const isOther = ({ name, bindings }) => name === 'dyn_error' || Object.keys(bindings ?? {}).some((one) => one.includes('.'));
// Cases that the server's engine does not pass either.
const exceptions = /^bytes_literals\/triple_(single|double)_quoted_unescaped_punctuation$/;

const clock = new Clock();
const page = await new Page(new Browser(), new Network(clock, () => 'http://127.0.0.1:1'), clock).load();
const Maps = runInContext('Map', page.context);
const { cel, equal, Failure, readInstant, internals } = page.mirror;
const { Decimal, decimalText, isMap, readPeriod, typeOf } = internals;

function read(value) {
  const [[kind, one]] = Object.entries(value);
  switch (kind) {
    case 'int': return BigInt(one);
    case 'double': return { inf: Infinity, '-inf': -Infinity }[one] ?? Number(one);
    case 'list': return one.map(read);
    case 'map': return new Maps(one.map((pair) => pair.map(read)));
    case 'timestamp': return readInstant(one);
    case 'duration': return readPeriod(one);
    case 'decimal': return cel(`decimal('${one}')`)({ names: {} });
    default: return one;
  }
}

function same(a, b) {
  if (typeOf(a) !== typeOf(b)) return false;
  if (typeof a === 'number') return Object.is(a, b) || a === b && a !== 0;
  if (a instanceof Decimal) return decimalText(a) === decimalText(b);
  if (Array.isArray(a)) return a.length === b.length && a.every((one, place) => same(one, b[place]));
  if (isMap(a)) return a.size === b.size && [...a].every(([key, one]) => [...b].some(([other_, two]) => same(key, other_) && same(one, two)));
  return equal(a, b);
}

let [count, left] = [0, 0];
const wrong = [];
for (const line of process.argv.slice(2).flatMap((file) => readFileSync(file, 'utf8').split('\n')).filter(Boolean)) {
  const one = JSON.parse(line);
  if (missing.test(one.expr) || /"(type|uint|bytes)":/.test(JSON.stringify([one.value, one.bindings])) || isOther(one) || exceptions.test(`${one.section}/${one.name}`)) { left += 1; continue; }
  count += 1;
  const names = Object.fromEntries(Object.entries(one.bindings ?? {}).map(([name, value]) => [name, read(value)]));
  try {
    const value = cel(one.expr)({ names, isStrict: !one.isLax });
    if (one.error || !same(value, read(one.value))) wrong.push(one);
  } catch (error) {
    if (!one.error || !(error instanceof Failure)) wrong.push({ ...one, failure: `${error}` });
  }
}

// The examples of the documentation: both sides of an arrow are equal.
const guide = readFileSync(new URL('../../docs/expressions.md', import.meta.url), 'utf8');
const example = page.mirror.fromJSON(JSON.parse(/^\{"name".*\}$/m.exec(guide)[0]));
for (const [, expr, value] of guide.matchAll(/^- `([^`]+)` (?:→\s+`([^`]+)`|fails)$/gm)) {
  if (missing.test(expr) || /\btext\.|\/ decimal|\bdecimal\(.*\/|[^\w]x\b/.test(expr)) { left += 1; continue; }
  count += 1;
  try {
    const result = cel(expr)({ names: { value: example } });
    if (value === undefined || !same(result, cel(value)({ names: {} }))) wrong.push({ name: 'docs/expressions.md', expr });
  } catch (error) {
    if (value !== undefined || !(error instanceof Failure)) wrong.push({ name: 'docs/expressions.md', expr, failure: `${error}` });
  }
}
for (const { name, expr, failure } of wrong) console.log(`not ok: ${name}: ${expr}${failure ? ` (${failure})` : ''}`);
console.log(`${count - wrong.length} of ${count} cases pass; ${left} need what the engine lacks`);
process.exit(wrong.length ? 1 : 0);
