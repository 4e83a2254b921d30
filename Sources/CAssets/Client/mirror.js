// Headwater's mirror for browsers: a feature over its replica. docs/mirror.md describes it.

import { act as send, pending, settings, status, view as watch } from './client.js';

// ---- Values: null, booleans, texts, BigInt (int), numbers (double), arrays, maps, bytes, and these

class Uint { constructor(value) { this.value = value; } }
class Instant { constructor(nanos) { this.nanos = nanos; } }
class Period { constructor(nanos) { this.nanos = nanos; } }
class TypeName { constructor(name) { this.name = name; } }

/** The failure of an expression. */
export class Failure extends Error {}
/** An action that cannot be performed over the replica. */
class Unpredictable extends Error {}

const fail = (words) => { throw new Failure(words); };
const [least, greatest, second] = [-(2n ** 63n), 2n ** 63n - 1n, 1000000000n];
const int = (value) => value >= least && value <= greatest ? value : fail('beyond the range of an int');
const uint = (value) => value >= 0n && value < 2n ** 64n ? new Uint(value) : fail('beyond the range of a uint');
const instant = (nanos) => nanos >= -62135596800n * second && nanos < 253402300800n * second
  ? new Instant(nanos) : fail('beyond the range of a timestamp');
const period = (nanos) => new Period(int(nanos));
const isMap = (value) => value instanceof Map || value instanceof Rows;
const isNumber = (value) => typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint;

/** The order of texts by code points. */
function compareTexts(a, b) {
  for (let place = 0; place < a.length && place < b.length; place++) {
    let [one, other] = [a.charCodeAt(place), b.charCodeAt(place)];
    if (one === other) continue;
    // Halves of pairs come after all other code points.
    if (one >= 0xd800 && other >= 0xd800) {
      one += one < 0xe000 ? 0x2000 : -0x800;
      other += other < 0xe000 ? 0x2000 : -0x800;
    }
    return one - other;
  }
  return a.length - b.length;
}

function typeOf(value) {
  if (value === null) return 'null_type';
  if (Array.isArray(value)) return 'list';
  if (isMap(value)) return 'map';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Uint) return 'uint';
  if (value instanceof Instant) return 'google.protobuf.Timestamp';
  if (value instanceof Period) return 'google.protobuf.Duration';
  if (value instanceof TypeName) return 'type';
  return { boolean: 'bool', string: 'string', bigint: 'int', number: 'double' }[typeof value] ?? fail('no such value');
}

const plain = (value) => value instanceof Uint ? value.value : value;

export function equal(a, b) {
  if (isNumber(a) && isNumber(b)) return plain(a) == plain(b);
  const type = typeOf(a);
  if (type !== typeOf(b)) return false;
  switch (type) {
    case 'list': return a.length === b.length && a.every((one, place) => equal(one, b[place]));
    case 'bytes': return a.length === b.length && a.every((one, place) => one === b[place]);
    case 'map': return a.size === b.size && [...a.keys()].every((key) => {
      const other = entry(b, key);
      return other !== undefined && equal(a.get(key), other);
    });
    case 'google.protobuf.Timestamp': case 'google.protobuf.Duration': return a.nanos === b.nanos;
    case 'type': return a.name === b.name;
    default: return a === b;
  }
}

function compare(a, b) {
  const less = (one, other) => one < other ? -1 : one > other ? 1 : one == other ? 0 : NaN;
  if (isNumber(a) && isNumber(b)) {
    // An int and a double are compared as doubles.
    return typeof a === 'number' || typeof b === 'number' ? less(Number(plain(a)), Number(plain(b))) : less(plain(a), plain(b));
  }
  const type = typeOf(a);
  if (type !== typeOf(b)) fail('values of different types have no order');
  switch (type) {
    case 'string': return compareTexts(a, b);
    case 'bool': return a - b;
    case 'bytes': {
      for (let place = 0; place < a.length && place < b.length; place++) if (a[place] !== b[place]) return a[place] - b[place];
      return a.length - b.length;
    }
    case 'google.protobuf.Timestamp': case 'google.protobuf.Duration': return less(a.nanos, b.nanos);
    default: return fail(`a ${type} has no order`);
  }
}

/** The key of a map that equals a value: 1, 1u and 1.0 are one key. */
function keyOf(map, key) {
  if (map.has(key)) return key;
  if (!isNumber(key)) return undefined;
  for (const one of map.keys()) if (isNumber(one) && plain(one) == plain(key)) return one;
  return undefined;
}
const entry = (map, key) => {
  const known = keyOf(map, key);
  return known === undefined ? undefined : map.get(known);
};

// ---- Texts of values

const pad = (number, count) => String(number).padStart(count, '0');
const fraction = (nanos) => nanos ? `.${pad(nanos, 9).replace(/0+$/, '').replace(/^(\d{1,3})$/, (text) => text.padEnd(3, '0')).replace(/^(\d{4,6})$/, (text) => text.padEnd(6, '0')).replace(/^(\d{7,9})$/, (text) => text.padEnd(9, '0'))}` : '';

function floor(a, b) { const rest = ((a % b) + b) % b; return [(a - rest) / b, rest]; }

function instantText({ nanos }) {
  const [seconds, rest] = floor(nanos, second);
  const date = new Date(Number(seconds) * 1000);
  return `${pad(date.getUTCFullYear(), 4)}-${pad(date.getUTCMonth() + 1, 2)}-${pad(date.getUTCDate(), 2)}T${date.toISOString().slice(-13, -5)}${fraction(rest)}Z`;
}

export function readInstant(text) {
  const found = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/.exec(text);
  if (!found) return fail('no timestamp');
  const [, year, month, day, hour, minute, seconds, parts = '', sign, hours = 0, minutes = 0] = found;
  const date = new Date(0);
  date.setUTCFullYear(+year, +month - 1, +day);
  if (date.getUTCDate() !== +day || +hour > 23 || +minute > 59 || +seconds > 59 || +hours > 23 || +minutes > 59 || +year < 1) fail('no timestamp');
  const offset = (+hours * 60 + +minutes) * 60 * (sign === '-' ? 1 : -1);
  const total = BigInt(date.getTime() / 1000 + +hour * 3600 + +minute * 60 + +seconds + (sign ? offset : 0));
  return instant(total * second + BigInt(parts.slice(0, 9).padEnd(9, '0')));
}

const units = { h: 3600n * second, m: 60n * second, s: second, ms: 1000000n, us: 1000n, 'µs': 1000n, ns: 1n };

function readPeriod(text) {
  const found = /^([+-]?)((?:\d+\.?\d*|\.\d+)(?:h|ms|m|s|us|µs|ns))+$/.exec(text);
  if (/^[+-]?0$/.test(text)) return new Period(0n);
  if (!found) return fail('no duration');
  let total = 0n;
  for (const [, whole, parts = '', unit] of text.replace(/^[+-]/, '').matchAll(/(\d*)(?:\.(\d*))?(h|ms|m|s|us|µs|ns)/g)) {
    total += BigInt(whole || 0) * units[unit] + BigInt(parts.slice(0, 15) || 0) * units[unit] / 10n ** BigInt(Math.min(parts.length, 15));
  }
  return period(found[1] === '-' ? -total : total);
}

function periodText({ nanos }) {
  const size = nanos < 0n ? -nanos : nanos;
  return `${nanos < 0n ? '-' : ''}${size / second}${fraction(size % second)}s`;
}

function doubleText(value) {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  return String(value);
}

const textOf = (value) => typeof value === 'string' ? value : typeof value === 'number' ? doubleText(value)
  : typeof value === 'bigint' || typeof value === 'boolean' ? String(value) : value instanceof Uint ? String(value.value)
    : value instanceof Instant ? instantText(value) : value instanceof Period ? periodText(value)
      : value instanceof Uint8Array ? new TextDecoder('utf-8', { fatal: true }).decode(value) : fail(`a ${typeOf(value)} has no text`);

// ---- The language: formulas become functions of an environment

const keywords = new Set(['true', 'false', 'null', 'in']);
const reserved = new Set(['as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if', 'import', 'let', 'loop', 'package', 'namespace', 'return', 'var', 'void', 'while']);
const escapes = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', '\\': '\\', '?': '?', '"': '"', "'": "'", '`': '`' };

function lex(source) {
  const tokens = [];
  let place = 0;
  const take = (pattern) => {
    pattern.lastIndex = place;
    const found = pattern.exec(source);
    if (found) place = pattern.lastIndex;
    return found;
  };
  while (take(/(?:[ \t\n\r\f]|\/\/[^\n]*)+/y), place < source.length) {
    let found;
    if ((found = take(/([bB]?)([rR]?)("""|'''|"|')/y)) && (found[1] || found[2] || true)) {
      tokens.push(text(found[1] !== '', found[2] !== '', found[3]));
    } else if ((found = take(/0[xX]([0-9a-fA-F]+)([uU]?)/y))) {
      tokens.push({ kind: found[2] ? 'uint' : 'int', value: BigInt(`0x${found[1]}`) });
    } else if ((found = take(/\d+\.\d+(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+/y))) {
      if (!Number.isFinite(Number(found[0]))) fail('a number beyond the range of a double');
      tokens.push({ kind: 'double', value: Number(found[0]) });
    } else if ((found = take(/(\d+)([uU]?)/y))) {
      tokens.push({ kind: found[2] ? 'uint' : 'int', value: BigInt(found[1]) });
    } else if ((found = take(/[A-Za-z_]\w*/y))) {
      tokens.push({ kind: 'word', value: found[0] });
    } else if ((found = take(/`([\w.\-/ ]+)`/y))) {
      tokens.push({ kind: 'quoted', value: found[1] });
    } else if ((found = take(/==|!=|<=|>=|&&|\|\||[<>+\-*/%!?:.,()[\]{}]/y))) {
      tokens.push({ kind: 'sign', value: found[0] });
    } else {
      fail(`unexpected ${source[place]}`);
    }
  }
  return [...tokens, { kind: 'end' }];

  function text(isBytes, isRaw, quote) {
    const bytes = [];
    let result = '';
    const add = (part) => { if (isBytes) bytes.push(...new TextEncoder().encode(part)); else result += part; };
    for (;;) {
      if (place >= source.length) fail('a text is not closed');
      if (source.startsWith(quote, place)) {
        place += quote.length;
        return isBytes ? { kind: 'bytes', value: Uint8Array.from(bytes) } : { kind: 'string', value: result };
      }
      const letter = String.fromCodePoint(source.codePointAt(place));
      if (quote.length === 1 && /[\n\r]/.test(letter)) fail('a text over several lines');
      place += letter.length;
      if (letter !== '\\' || isRaw) { add(letter); continue; }
      const [next] = source.slice(place);
      place += 1;
      if (next in escapes) { add(escapes[next]); continue; }
      const found = take(/(?<=[xX])[0-9a-fA-F]{2}|(?<=u)[0-9a-fA-F]{4}|(?<=U)[0-9a-fA-F]{8}|(?<=[0-3])[0-7]{2}/y);
      if (!found) fail('an unknown escape');
      const code = /[0-3]/.test(next) ? parseInt(next + found[0], 8) : parseInt(found[0], 16);
      if (isBytes && /[uU]/.test(next)) fail('bytes have no such escape');
      if (isBytes) { bytes.push(code); continue; }
      if (code > 0x10ffff || code >= 0xd800 && code < 0xe000) fail('no code point');
      result += String.fromCodePoint(code);
    }
  }
}

const ranks = { '||': 1, '&&': 2, '==': 3, '!=': 3, '<': 3, '<=': 3, '>': 3, '>=': 3, in: 3, '+': 4, '-': 4, '*': 5, '/': 5, '%': 5 };
const macros = { all: [2, 3], exists: [2, 3], exists_one: [2, 3], existsOne: [2, 3], map: [2, 3], filter: [2, 2], sortBy: [2, 2], transformList: [3, 4], transformMap: [3, 4], transformMapEntry: [3, 4] };

/** Parses a formula into parts: [form, …]. */
export function parse(source) {
  const tokens = lex(source);
  let place = 0, depth = 0;
  const peek = (value, kind = 'sign') => tokens[place].value === value && (tokens[place].kind === kind);
  const accept = (value) => peek(value) && ++place;
  const expect = (value) => accept(value) || fail(`expected ${value}`);
  function expression() {
    if (++depth > 48) fail('nested too deep');
    const condition = binary(1);
    let result = condition;
    if (accept('?')) {
      const then = binary(1);
      expect(':');
      result = ['if', condition, then, expression()];
    }
    depth -= 1;
    return result;
  }
  function binary(rank) {
    let left = rank > 5 ? unary() : binary(rank + 1);
    for (;;) {
      const { kind, value } = tokens[place];
      if (kind !== 'sign' && !(kind === 'word' && value === 'in') || ranks[value] !== rank) return left;
      place += 1;
      left = [value, left, rank === 5 ? unary() : binary(rank + 1)];
    }
  }
  function unary() {
    if (accept('!')) return ['!', unary()];
    if (accept('-')) {
      if (tokens[place].kind === 'int' && !peek('.')) {
        const value = -tokens[place++].value;
        return postfix(['literal', int(value)]);
      }
      return ['minus', unary()];
    }
    return postfix(primary());
  }
  function list(end, read) {
    const parts = [];
    while (!accept(end)) {
      parts.push(read());
      if (!accept(',')) { expect(end); break; }
    }
    return parts;
  }
  function postfix(part) {
    for (;;) {
      if (accept('.')) {
        const { kind, value } = tokens[place++];
        if (kind !== 'word' && kind !== 'quoted') fail('expected a name');
        part = kind === 'word' && accept('(') ? ['method', part, value, list(')', expression)] : ['member', part, value];
      } else if (accept('[')) {
        part = ['index', part, expression()];
        expect(']');
      } else {
        return part;
      }
    }
  }
  function primary() {
    const token = tokens[place++];
    switch (token.kind) {
      case 'int': return ['literal', int(token.value)];
      case 'uint': return ['literal', uint(token.value)];
      case 'double': case 'string': case 'bytes': return ['literal', token.value];
      case 'word':
        if (keywords.has(token.value)) {
          if (token.value === 'in') fail('unexpected in');
          return ['literal', { true: true, false: false, null: null }[token.value]];
        }
        if (reserved.has(token.value)) fail(`${token.value} is reserved`);
        return accept('(') ? ['call', token.value, list(')', expression)] : ['name', token.value];
      case 'sign':
        if (token.value === '(') {
          const part = expression();
          expect(')');
          return part;
        }
        if (token.value === '[') return ['list', list(']', expression)];
        if (token.value === '{') return ['map', list('}', () => { const key = expression(); expect(':'); return [key, expression()]; })];
        if (token.value === '.') return primary();
    }
    return fail('unexpected end or sign');
  }
  const part = expression();
  if (tokens[place].kind !== 'end') fail('the formula goes on');
  return part;
}

const arithmetic = {
  '+': (a, b) => a + b, '-': (a, b) => a - b, '*': (a, b) => a * b,
  '/': (a, b) => b === 0n ? fail('division by zero') : a / b, '%': (a, b) => b === 0n ? fail('division by zero') : a % b,
};

function operate(sign, a, b, isStrict) {
  if (isNumber(a) && isNumber(b)) {
    if (typeof a === 'bigint' && typeof b === 'bigint') return int(arithmetic[sign](a, b));
    if (a instanceof Uint && b instanceof Uint) return uint(arithmetic[sign](a.value, b.value));
    if (a instanceof Uint || b instanceof Uint || isStrict && typeof a !== typeof b || sign === '%') fail('numbers of different types');
    return arithmetic[sign](Number(a), Number(b));
  }
  const [one, other] = [typeOf(a), typeOf(b)];
  if (sign === '+' && one === other) {
    if (one === 'string') return a + b;
    if (one === 'list') return [...a, ...b];
    if (one === 'bytes') return Uint8Array.from([...a, ...b]);
  }
  if (a instanceof Instant && b instanceof Period) return sign === '+' ? instant(a.nanos + b.nanos) : sign === '-' ? instant(a.nanos - b.nanos) : fail('no such operation');
  if (a instanceof Period && b instanceof Instant && sign === '+') return instant(a.nanos + b.nanos);
  if (a instanceof Instant && b instanceof Instant && sign === '-') return period(a.nanos - b.nanos);
  if (a instanceof Period && b instanceof Period && '+-'.includes(sign)) return period(arithmetic[sign](a.nanos, b.nanos));
  return fail(`no ${sign} of ${one} and ${other}`);
}

const bool = (value) => typeof value === 'boolean' ? value : fail('a condition is a bool');

/** Compiles a formula. The result takes an environment, {names, steps, define, isStrict}, and returns the value. */
export function cel(source) {
  const run = compile(parse(source));
  return (env) => run({ limit: 100000, ...env, names: { ...env.names } });
}

const bind = (env, names) => ({ __proto__: env, names: { __proto__: env.names, ...names } });

function compile(part) {
  const run = form(part);
  return (env) => {
    const root = env.root ??= { steps: 0 };
    if (++root.steps > env.limit) fail('too many steps');
    return run(env);
  };
}

function member(value, name) {
  if (isMap(value)) {
    const found = entry(value, name);
    return found === undefined ? fail(`there is no member ${name}`) : found;
  }
  return fail(`a ${typeOf(value)} has no members`);
}

/** The name of a group of functions before a dot, as in math.abs. */
const groups = new Set(['math', 'lists', 'sets', 'cel', 'base64', 'strings', 'text']);

function form([kind, ...parts]) {
  switch (kind) {
    case 'literal': return () => parts[0];
    case 'name': return ({ names }) => parts[0] in names ? names[parts[0]] : types.has(parts[0]) ? new TypeName(types.get(parts[0])) : fail(`there is no name ${parts[0]}`);
    case 'member': {
      const target = compile(parts[0]);
      return (env) => member(target(env), parts[1]);
    }
    case 'index': {
      const [target, index] = parts.map(compile);
      return (env) => {
        const [value, key] = [target(env), index(env)];
        if (Array.isArray(value)) {
          const place = plain(key);
          if (!isNumber(key) || Number(place) !== Math.trunc(Number(place))) fail('an index is an int');
          return Number(place) >= 0 && Number(place) < value.length ? value[Number(place)] : fail('there is no such element');
        }
        if (!isMap(value)) fail(`a ${typeOf(value)} has no elements`);
        const found = entry(value, key);
        return found === undefined ? fail('there is no such key') : found;
      };
    }
    case 'list': {
      const all = parts[0].map(compile);
      return (env) => all.map((one) => one(env));
    }
    case 'map': {
      const all = parts[0].map((pair) => pair.map(compile));
      return (env) => {
        const map = new Map();
        for (const [key, value] of all) {
          const name = key(env);
          if (typeof name !== 'string' && typeof name !== 'bigint' && typeof name !== 'boolean' && !(name instanceof Uint)) fail('a key is a text, an int or a bool');
          if (keyOf(map, name) !== undefined) fail('a key is there twice');
          map.set(name, value(env));
        }
        return map;
      };
    }
    case 'if': {
      const [condition, then, otherwise] = parts.map(compile);
      return (env) => bool(condition(env)) ? then(env) : otherwise(env);
    }
    case '!': {
      const value = compile(parts[0]);
      return (env) => !bool(value(env));
    }
    case 'minus': {
      const operand = compile(parts[0]);
      return (env) => {
        const value = operand(env);
        return typeof value === 'bigint' ? int(-value) : typeof value === 'number' ? -value : value instanceof Period ? period(-value.nanos) : fail('no negative');
      };
    }
    case '&&': case '||': {
      const [left, right] = parts.map(compile), decisive = kind === '||';
      return (env) => {
        let first;
        try {
          const value = bool(left(env));
          if (value === decisive) return decisive;
        } catch (error) {
          if (!(error instanceof Failure)) throw error;
          first = error;
        }
        const value = bool(right(env));
        if (value === decisive) return decisive;
        if (first) throw first;
        return !decisive;
      };
    }
    case '==': case '!=': {
      const [left, right] = parts.map(compile);
      return (env) => equal(left(env), right(env)) === (kind === '==');
    }
    case '<': case '<=': case '>': case '>=': {
      const [left, right] = parts.map(compile);
      return (env) => {
        const order = compare(left(env), right(env));
        return kind === '<' ? order < 0 : kind === '<=' ? order <= 0 : kind === '>' ? order > 0 : order >= 0;
      };
    }
    case 'in': {
      const [left, right] = parts.map(compile);
      return (env) => {
        const [value, all] = [left(env), right(env)];
        if (Array.isArray(all)) return all.some((one) => equal(one, value));
        return isMap(all) ? keyOf(all, value) !== undefined : fail('in takes a list or a map');
      };
    }
    case '+': case '-': case '*': case '/': case '%': {
      const [left, right] = parts.map(compile);
      return (env) => operate(kind, left(env), right(env), env.isStrict);
    }
    case 'call': return call(parts[0], parts[1]);
    case 'method': return method(...parts);
    default: return fail(`unknown form ${kind}`);
  }
}

function call(name, parts) {
  if (name === 'has' && parts.length === 1 && parts[0][0] === 'member') {
    const target = compile(parts[0][1]);
    return (env) => {
      const value = target(env);
      return isMap(value) ? keyOf(value, parts[0][2]) !== undefined : fail('has takes a member');
    };
  }
  const values = parts.map(compile);
  return (env) => {
    const definition = env.define?.[name];
    if (definition) return definition(values.map((one) => one(env)), env);
    if (name === 'newId') return env.newId ? env.newId() : fail('newId is for actions');
    const found = functions[name] ?? fail(`there is no function ${name}`);
    return found(...values.map((one) => one(env)));
  };
}

function method(target, name, parts) {
  if (target[0] === 'name' && groups.has(target[1])) {
    if (target[1] === 'cel' && name === 'bind' && parts.length === 3) {
      const [value, body] = [compile(parts[1]), compile(parts[2])];
      return (env) => body(bind(env, { [parts[0][1]]: value(env) }));
    }
    const grouped = `${target[1]}.${name}`, values = parts.map(compile);
    if (grouped in functions) return (env) => functions[grouped](...values.map((one) => one(env)));
  }
  if (target[0] === 'name' && target[1] === 'index') {
    const values = parts.map(compile);
    return (env) => env.index ? env.index(name, values.map((one) => one(env))) : fail('there are no indexes');
  }
  const [first, last] = macros[name] ?? [1, 0];
  if (parts.length >= first && parts.length <= last && parts[0][0] === 'name') return macro(target, name, parts);
  const receiver = compile(target), values = parts.map(compile);
  return (env) => {
    const [value, given] = [receiver(env), values.map((one) => one(env))];
    const found = (value instanceof Rows && rangeMethods[name]) || methods[name] || fail(`there is no method ${name}`);
    if (given.length > (greatestCounts[name] ?? found.length - 1)) fail(`${name} takes fewer values`);
    return found(value, ...given);
  };
}

/** The greatest number of values of the methods that can have fewer. */
const greatestCounts = { substring: 2, indexOf: 2, lastIndexOf: 2, replace: 3, split: 2, join: 1, flatten: 1 };

function macro(target, name, parts) {
  const range = compile(target);
  const isTwo = name.startsWith('transform') || name !== 'map' && parts.length === 3;
  const variables = parts.slice(0, isTwo ? 2 : 1).map(([kind, value]) => kind === 'name' ? value : fail('a macro takes a name'));
  const bodies = parts.slice(variables.length).map(compile);
  const [body] = bodies.slice(-1), condition = bodies.length === 2 ? bodies[0] : undefined;
  return (env) => {
    const value = range(env);
    const keys = Array.isArray(value) ? value.map((_, place) => BigInt(place)) : isMap(value) ? [...value.keys()] : fail(`${name} takes a list or a map`);
    const read = (place) => Array.isArray(value) ? value[place] : value.get(keys[place]);
    const scope = (place) => bind(env, isTwo ? { [variables[0]]: keys[place], [variables[1]]: read(place) }
      : { [variables[0]]: Array.isArray(value) ? value[place] : keys[place] });
    const element = (place) => Array.isArray(value) ? value[place] : keys[place];
    switch (name) {
      case 'all': case 'exists': {
        const decisive = name === 'exists';
        let failure;
        for (const place of keys.keys()) {
          try { if (bool(body(scope(place))) === decisive) return decisive; } catch (error) {
            if (!(error instanceof Failure)) throw error;
            failure ??= error;
          }
        }
        if (failure) throw failure;
        return !decisive;
      }
      case 'exists_one': case 'existsOne': return keys.filter((_, place) => bool(body(scope(place)))).length === 1;
      case 'filter': return keys.flatMap((_, place) => bool(body(scope(place))) ? [element(place)] : []);
      case 'sortBy': {
        const marked = keys.map((_, place) => [body(scope(place)), element(place)]);
        return marked.sort(([one], [other]) => compare(one, other)).map(([, value]) => value);
      }
      case 'map': case 'transformList':
        return keys.flatMap((_, place) => {
          const inner = scope(place);
          return !condition || bool(condition(inner)) ? [body(inner)] : [];
        });
      default: {
        const map = new Map();
        for (const place of keys.keys()) {
          const inner = scope(place);
          if (condition && !bool(condition(inner))) continue;
          const result = body(inner);
          for (const [key, value] of name === 'transformMap' ? [[keys[place], result]] : isMap(result) ? [...result] : fail('an entry is a map')) {
            if (keyOf(map, key) !== undefined) fail('a key is there twice');
            map.set(key, value);
          }
        }
        return map;
      }
    }
  };
}

// ---- Functions

const types = new Map([['int', 'int'], ['uint', 'uint'], ['double', 'double'], ['bool', 'bool'], ['string', 'string'], ['bytes', 'bytes'], ['list', 'list'], ['map', 'map'], ['type', 'type'], ['null_type', 'null_type']]);
const letters = (text) => typeof text === 'string' ? [...text] : fail('not a text');
const text = (value) => typeof value === 'string' ? value : fail('not a text');
const count = (value) => typeof value === 'bigint' ? Number(value) : fail('not an int');
const listOf = (value) => Array.isArray(value) ? value : fail('not a list');
const size = (value) => typeof value === 'string' ? BigInt(letters(value).length) : Array.isArray(value) || value instanceof Uint8Array ? BigInt(value.length) : isMap(value) ? BigInt(value.size) : fail('no size');
const inRange = (value, low, high) => value > low && value < high ? BigInt(Math.trunc(value)) : fail('beyond the range');
const real = (value) => typeof value === 'number' ? value : typeof value === 'bigint' ? Number(value) : fail('not a double');
const extreme = (sign) => (...values) => {
  const all = values.length === 1 && Array.isArray(values[0]) ? values[0] : values;
  if (!all.length || !all.every(isNumber)) fail('not numbers');
  return all.reduce((best, one) => compare(one, best) * sign > 0 ? one : best);
};
const spaces = /^[\s\x85]+|[\s\x85]+$/g;

const functions = {
  size, dyn: (value) => value, type: (value) => new TypeName(typeOf(value)),
  int: (value) => typeof value === 'bigint' ? value : value instanceof Uint ? int(value.value)
    : typeof value === 'number' ? inRange(value, -9223372036854775808, 9223372036854775808)
      : value instanceof Instant ? floor(value.nanos, second)[0]
        : typeof value === 'string' && /^-?\d+$/.test(value) ? int(BigInt(value)) : fail('no int'),
  uint: (value) => value instanceof Uint ? value : typeof value === 'bigint' ? uint(value)
    : typeof value === 'number' ? uint(inRange(value, -1, 18446744073709551616))
      : typeof value === 'string' && /^\d+$/.test(value) ? uint(BigInt(value)) : fail('no uint'),
  double: (value) => isNumber(value) ? Number(plain(value)) : typeof value === 'string' && /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(value) ? Number(value)
    : { NaN: NaN, 'Infinity': Infinity, '-Infinity': -Infinity }[value] ?? fail('no double'),
  bool: (value) => typeof value === 'boolean' ? value : /^(1|t|true|TRUE|True)$/.test(text(value)) ? true : /^(0|f|false|FALSE|False)$/.test(value) ? false : fail('no bool'),
  string: (value) => { try { return textOf(value); } catch { return fail('no text'); } },
  bytes: (value) => value instanceof Uint8Array ? value : new TextEncoder().encode(text(value)),
  timestamp: (value) => value instanceof Instant ? value : typeof value === 'bigint' ? instant(value * second) : readInstant(text(value)),
  duration: (value) => value instanceof Period ? value : readPeriod(text(value)),
  'math.greatest': extreme(1), 'math.least': extreme(-1),
  'math.ceil': (value) => Math.ceil(real(value)), 'math.floor': (value) => Math.floor(real(value)), 'math.trunc': (value) => Math.trunc(real(value)),
  'math.round': (value) => Math.sign(real(value)) * Math.floor(Math.abs(real(value)) + 0.5),
  'math.abs': (value) => typeof value === 'bigint' ? int(value < 0n ? -value : value) : value instanceof Uint ? value : Math.abs(real(value)),
  'math.sign': (value) => typeof value === 'bigint' ? BigInt(value > 0n) - BigInt(value < 0n) : value instanceof Uint ? uint(BigInt(value.value > 0n)) : Math.sign(real(value)),
  'math.sqrt': (value) => Math.sqrt(Number(plain(isNumber(value) ? value : fail('not a number')))),
  'math.isNaN': (value) => Number.isNaN(real(value)), 'math.isInf': (value) => Math.abs(real(value)) === Infinity, 'math.isFinite': (value) => Number.isFinite(real(value)),
  'lists.range': (value) => count(value) > 100000 ? fail('too long') : Array.from({ length: Math.max(0, count(value)) }, (_, place) => BigInt(place)),
  'sets.contains': (all, some) => listOf(some).every((one) => listOf(all).some((other) => equal(one, other))),
  'sets.equivalent': (one, other) => functions['sets.contains'](one, other) && functions['sets.contains'](other, one),
  'sets.intersects': (one, other) => listOf(one).some((a) => listOf(other).some((b) => equal(a, b))),
};

const at = (value, length) => value >= 0 && value <= length ? value : fail('beyond the text or list');
const find = (value, part, from, isLast) => {
  const [all, wanted] = [letters(value), letters(part)];
  const places = [...Array(Math.max(0, all.length - wanted.length + 1)).keys()];
  const fits = (place) => wanted.every((one, offset) => all[place + offset] === one);
  if (from !== undefined && (from < 0 || from > all.length)) fail('beyond the text');
  const found = isLast ? places.reverse().find((place) => place <= (from ?? all.length) && fits(place)) : places.find((place) => place >= (from ?? 0) && fits(place));
  return BigInt(found ?? -1);
};
const dated = (read, ofPeriod) => (value) => {
  if (value instanceof Period && ofPeriod) return ofPeriod(value.nanos);
  if (!(value instanceof Instant)) return fail('no timestamp');
  const [seconds, rest] = floor(value.nanos, second);
  return BigInt(read(new Date(Number(seconds) * 1000), rest));
};

const methods = {
  size, contains: (value, part) => text(value).includes(text(part)), startsWith: (value, part) => text(value).startsWith(text(part)),
  endsWith: (value, part) => text(value).endsWith(text(part)),
  charAt: (value, place) => letters(value)[at(count(place), letters(value).length)] ?? '',
  indexOf: (value, part, from) => find(value, part, from === undefined ? undefined : count(from), false),
  lastIndexOf: (value, part, from) => find(value, part, from === undefined ? undefined : count(from), true),
  substring: (value, from, to) => {
    const all = letters(value), [start, end] = [at(count(from), all.length), to === undefined ? all.length : at(count(to), all.length)];
    return start > end ? fail('beyond the text') : all.slice(start, end).join('');
  },
  replace: (value, from, to, limit) => {
    let left = limit === undefined ? -1 : count(limit);
    if (text(from) === '') return letters(value).reduce((all, letter) => left-- === 0 ? (left = 0, all + letter) : all + to + letter, '') + (left !== 0 ? to : '');
    const parts = text(value).split(from);
    return parts.reduce((all, part) => all + (left === 0 ? from : (left--, text(to))) + part);
  },
  split: (value, by, limit) => {
    const parts = text(by) === '' ? letters(value) : text(value).split(by), most = limit === undefined ? -1 : count(limit);
    return most < 0 || parts.length <= most ? parts : most === 0 ? [] : [...parts.slice(0, most - 1), parts.slice(most - 1).join(by)];
  },
  join: (value, by = '') => listOf(value).map(text).join(by),
  trim: (value) => text(value).replace(spaces, ''), lowerAscii: (value) => text(value).replace(/[A-Z]/g, (one) => one.toLowerCase()),
  upperAscii: (value) => text(value).replace(/[a-z]/g, (one) => one.toUpperCase()),
  reverse: (value) => Array.isArray(value) ? [...value].reverse() : letters(value).reverse().join(''),
  slice: (value, from, to) => count(from) > count(to) ? fail('beyond the list') : listOf(value).slice(at(count(from), value.length), at(count(to), value.length)),
  flatten: (value, depth = 1n) => count(depth) < 0 ? fail('no depth') : listOf(value).flat(count(depth)),
  distinct: (value) => listOf(value).reduce((all, one) => all.some((other) => equal(one, other)) ? all : [...all, one], []),
  sort: (value) => [...listOf(value)].sort(compare),
  getFullYear: dated((date) => date.getUTCFullYear()), getMonth: dated((date) => date.getUTCMonth()), getDate: dated((date) => date.getUTCDate()),
  getDayOfMonth: dated((date) => date.getUTCDate() - 1), getDayOfWeek: dated((date) => date.getUTCDay()),
  getDayOfYear: dated((date) => { const start = new Date(date); start.setUTCMonth(0, 1); return Math.round((date - start) / 864e5); }),
  getHours: dated((date) => date.getUTCHours(), (nanos) => nanos / units.h), getMinutes: dated((date) => date.getUTCMinutes(), (nanos) => nanos / units.m),
  getSeconds: dated((date) => date.getUTCSeconds(), (nanos) => nanos / second),
  getMilliseconds: dated((date, rest) => rest / 1000000n, (nanos) => nanos % second / 1000000n),
};

// ---- Rows of tables and indexes

/** Rows by key: of a table, in the order of their keys, or of a group of an index, in its order. */
class Rows {
  constructor(keys, read, has, order) { Object.assign(this, { list: keys, read, has, order }); }
  get ordered() { return typeof this.list === 'function' ? this.list = this.list() : this.list; }
  get size() { return this.ordered.length; }
  keys() { return this.ordered; }
  get(key) { return this.has(key) ? this.read(key) : undefined; }
  part(keys) { const set = new Set(keys); return new Rows(keys, this.read, (key) => set.has(key), this.order); }
  [Symbol.iterator]() { return this.ordered.map((key) => [key, this.read(key)])[Symbol.iterator](); }
}

const rangeMethods = {
  first: (rows) => rows.size ? rows.read(rows.ordered[0]) : null, last: (rows) => rows.size ? rows.read(rows.ordered.at(-1)) : null,
  firstKey: (rows) => rows.ordered[0] ?? null, lastKey: (rows) => rows.ordered.at(-1) ?? null, only: (rows) => rows.size ? rows.read(rows.ordered[0]) : null,
  limit: (rows, most) => rows.part(rows.ordered.slice(0, Math.max(0, count(most)))),
  from: (rows, bound) => rows.part(rows.ordered.filter((key) => rows.order.place(key, bound) >= 0)),
  until: (rows, bound) => rows.part(rows.ordered.filter((key) => rows.order.place(key, bound) < 0)),
};

// ---- Values and JSON

/** Reads a JSON value as its schema says. */
export function fromJSON(json, schema = {}, types = {}) {
  while (schema.$ref) schema = types[schema.$ref.split('/').pop()] ?? {};
  if (json === null) return null;
  if (schema.anyOf) schema = schema.anyOf.find((one) => one.type !== 'null') ?? {};
  while (schema.$ref) schema = types[schema.$ref.split('/').pop()] ?? {};
  if (schema.oneOf) {
    const name = schema.discriminator?.propertyName;
    const branches = schema.oneOf.map((one) => one.$ref ? types[one.$ref.split('/').pop()] ?? {} : one);
    schema = branches.find((one) => one.properties?.[name]?.const === json[name]) ?? {};
  }
  const kinds = [schema.type ?? []].flat();
  if (typeof json === 'number') return Number.isInteger(json) && !(kinds.includes('number') && !kinds.includes('integer')) ? BigInt(json) : json;
  if (typeof json === 'string') return schema.format === 'date-time' ? readInstant(json) : json;
  if (Array.isArray(json)) return json.map((one) => fromJSON(one, schema.items, types));
  if (typeof json === 'object') {
    const other = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {};
    return new Map(Object.entries(json).map(([key, value]) => [key, fromJSON(value, schema.properties?.[key] ?? other, types)]));
  }
  return json;
}

/** Returns a value as JSON. */
export function toJSON(value) {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : fail('an int that JSON numbers of browsers do not have');
  if (typeof value === 'number') return Number.isFinite(value) ? value : fail('a double that JSON does not have');
  if (value instanceof Uint) return toJSON(int(value.value));
  if (value instanceof Uint8Array) return btoa(String.fromCharCode(...value));
  if (value instanceof Instant || value instanceof Period) return textOf(value);
  if (value instanceof TypeName) return value.name;
  if (Array.isArray(value)) return value.map(toJSON);
  if (isMap(value)) return Object.fromEntries([...value].map(([key, one]) => [textOf(key), toJSON(one)]));
  return value;
}

/** Returns a value with its defaults. Throws if it does not satisfy the schema. */
export function checked(json, schema = {}, types = {}, isSchemaOfType = 0) {
  if (isSchemaOfType > 64) fail('too deep');
  if (schema.private) return json;
  if (schema.$ref) return checked(json, types[schema.$ref.split('/').pop()], types, isSchemaOfType + 1);
  if (schema.anyOf) return json === null ? null : checked(json, schema.anyOf.find((one) => one.type !== 'null'), types, isSchemaOfType + 1);
  if (schema.oneOf) {
    const name = schema.discriminator?.propertyName;
    const branches = schema.oneOf.map((one) => one.$ref ? types[one.$ref.split('/').pop()] : one);
    return checked(json, branches.find((one) => one?.properties?.[name]?.const === json?.[name]) ?? fail('no branch'), types, isSchemaOfType + 1);
  }
  const kind = json === null ? 'null' : Array.isArray(json) ? 'array' : typeof json;
  const kinds = [schema.type ?? kind].flat().map((one) => one === 'integer' && Number.isInteger(json) ? 'number' : one);
  if (!kinds.includes(kind)) fail(`a value is ${kinds}, not ${kind}`);
  if (schema.enum && !schema.enum.some((one) => JSON.stringify(one) === JSON.stringify(json))) fail('a value is not one of the allowed');
  if ('const' in schema && schema.const !== json) fail('a value is another one');
  if (kind === 'string') {
    const length = [...json].length;
    if (length < (schema.minLength ?? 0) || length > (schema.maxLength ?? Infinity)) fail('a text has another length');
    if (schema.format === 'date-time') readInstant(json);
  }
  if (kind === 'number') {
    if (json < (schema.minimum ?? -Infinity) || json > (schema.maximum ?? Infinity) || json <= (schema.exclusiveMinimum ?? -Infinity) || json >= (schema.exclusiveMaximum ?? Infinity)) fail('a number is beyond its range');
  }
  if (kind === 'array') {
    if (json.length < (schema.minItems ?? 0) || json.length > (schema.maxItems ?? Infinity)) fail('a list has another length');
    return schema.items ? json.map((one) => checked(one, schema.items, types)) : json;
  }
  if (kind !== 'object') return json;
  const result = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const fallback = property.$ref ? { ...types[property.$ref.split('/').pop()], ...property } : property;
    if (Object.hasOwn(json, name)) result[name] = checked(json[name], property, types);
    else if ('default' in fallback) result[name] = fallback.default;
  }
  for (const name of schema.required ?? []) if (!Object.hasOwn(result, name) && !Object.hasOwn(json, name)) fail(`${name} is missing`);
  for (const [name, value] of Object.entries(json)) {
    if (schema.properties && Object.hasOwn(schema.properties, name)) continue;
    if (schema.additionalProperties === false || schema.properties && schema.additionalProperties === undefined) fail(`there is no member ${name}`);
    result[name] = typeof schema.additionalProperties === 'object' ? checked(value, schema.additionalProperties, types) : value;
  }
  return result;
}

// ---- A feature over its replica

/** The guard of an action that is false. */
export class Rejection extends Error {
  constructor(problem) { super(problem.detail); Object.assign(this, { status: problem.status, problem }); }
}

/** Compiles the document for clients. */
export function feature(content) {
  const formulas = new Map(), templates = new Map(), readRows = new WeakMap();
  const types = content.types ?? {};
  const formula = (source) => formulas.get(source) ?? formulas.set(source, cel(source)).get(source);
  const define = Object.fromEntries(Object.entries(content.define ?? {}).filter(([, one]) => one.is).map(([name, { of = {}, is }]) => {
    const parameters = Object.keys(of);
    return [name, (values, env) => {
      const names = Object.fromEntries(parameters.map((one, place) => [one, values[place]]));
      return formula(is)({ ...flat(env), names: { ...env.base, ...names }, base: env.base });
    }];
  }));
  const flat = ({ index, newId, define: known, limit, isStrict, root, base }) => ({ index, newId, define: known, limit, isStrict, root, base });

  /** The text of a template, in which braces hold formulas. */
  function template(source, env) {
    return source.replace(/\{\{|\}\}|\{((?:[^{}'"]|'[^']*'|"[^"]*")*)\}/g, (whole, inner) => inner === undefined ? whole[0] : textOf(formula(inner)(env)));
  }

  function rowOf(label, row) {
    if (readRows.has(row)) return readRows.get(row);
    const value = fromJSON(row, content.state[label].table.row, types);
    if (row !== null && typeof row === 'object') readRows.set(row, value);
    return value;
  }

  /** A draft of a replica: what an action reads and writes. */
  class Draft {
    constructor(base, { token = { sub: '' }, space = 'main', now = new Date().toISOString(), newId } = {}) {
      this.base = base;
      this.changes = {};
      this.values = {};
      this.root = { steps: 0 };
      const state = new Map();
      for (const label of Object.keys(content.state)) state.set(label, undefined);
      this.names = { input: new Map(), space, token: fromJSON(token), now: readInstant(now), state: new Rows(() => [...state.keys()], (label) => this.state(label), (label) => state.has(label)) };
      this.env = { define, root: this.root, newId, index: (name, values) => this.index(name, values), base: this.names, names: this.names };
    }
    row(label, key) {
      const change = this.changes[label];
      if (change?.has(key)) return change.get(key);
      const rows = this.base[label];
      return rows && Object.hasOwn(rows, key) ? rows[key] : undefined;
    }
    keys(label) {
      const change = this.changes[label], keys = Object.keys(this.base[label] ?? {});
      if (!change) return keys;
      const kept = keys.filter((key) => !change.has(key));
      return [...kept, ...[...change].filter(([, row]) => row !== undefined).map(([key]) => key)];
    }
    state(label) {
      const part = content.state[label];
      if (!part.table) return fromJSON(label in this.values ? this.values[label] : this.base[label], part.value, types);
      const missing = (key) => { if (part.partial && this.row(label, key) === undefined && this.isAction) throw new Unpredictable(label); };
      return new Rows(() => this.keys(label).sort(compareTexts), (key) => rowOf(label, this.row(label, key)), (key) => {
        missing(key);
        return typeof key === 'string' && this.row(label, key) !== undefined;
      });
    }
    index(name, values) {
      for (const [label, part] of Object.entries(content.state)) {
        const index = part.indexes?.[name];
        if (!index) continue;
        const by = [index.by ?? []].flat(), sort = [index.sort ?? []].flat();
        const scope = (key) => ({ names: { key, row: rowOf(label, this.row(label, key)) }, define, root: this.root });
        const keys = this.keys(label).filter((key) => {
          try {
            const env = scope(key);
            return (!index.where || formula(index.where)(env)) && by.every((one, place) => equal(formula(one)(env), values[place]));
          } catch (error) { if (error instanceof Failure) return false; throw error; }
        });
        if (!keys.length && part.partial && this.isAction) throw new Unpredictable(label);
        const order = sorter(sort, scope), set = new Set(keys);
        return new Rows(() => keys.sort(order.compare), (key) => rowOf(label, this.row(label, key)), (key) => set.has(key), order);
      }
      return fail(`there is no index ${name}`);
    }
    write(label, key, row) { (this.changes[label] ??= new Map()).set(key, row); }
    /** The replica with what was written. */
    get result() {
      const next = { ...this.base, ...this.values };
      for (const [label, change] of Object.entries(this.changes)) {
        const rows = { ...next[label] };
        for (const [key, row] of change) if (row === undefined) delete rows[key]; else rows[key] = row;
        next[label] = rows;
      }
      return next;
    }
  }

  /** The order of rows by formulas, with - before falling ones, then by key. */
  function sorter(sort, scope) {
    const keys = sort.map((one) => one.startsWith('-') ? [formula(one.slice(1)), -1] : [formula(one), 1]);
    const known = new Map();
    const valuesOf = (key) => known.get(key) ?? known.set(key, keys.map(([read]) => read(scope(key)))).get(key);
    // Null comes first, as on the server.
    const weigh = (a, b) => a === null || b === null ? (a === null ? 0 : 1) - (b === null ? 0 : 1) : compare(a, b);
    return {
      compare(one, other) {
        const [a, b] = [valuesOf(one), valuesOf(other)];
        for (const [place, [, sign]] of keys.entries()) {
          const order = weigh(a[place], b[place]) * sign;
          if (order) return order;
        }
        return compareTexts(one, other);
      },
      place: (key, bound) => weigh(valuesOf(key)[0], bound) * keys[0][1],
    };
  }

  function steps(draft, all, names) {
    for (const step of all) {
      const read = (source, more) => formula(source)({ ...draft.env, names: { ...draft.names, ...names, ...more }, base: draft.names });
      const key = (source) => { const value = read(source); return typeof value === 'string' ? value : fail('a key is a string'); };
      if ((draft.root.steps += 2) > 100000) fail('too many steps');
      if ('set' in step) {
        draft.values[step.set] = checked(toJSON(read(step.to)), content.state[step.set].value, types);
      } else if ('put' in step) {
        const { table } = content.state[step.put];
        draft.write(step.put, checked(key(step.key), table.key, types), checked(toJSON(read(step.row)), table.row, types));
      } else if ('update' in step) {
        const name = key(step.key), old = draft.row(step.update, name), { table, partial } = content.state[step.update];
        if (old === undefined) { if (partial) throw new Unpredictable(step.update); throw new Rejection({ status: 409, type: '/problems/conflict', detail: `${content.feature}.${step.update} has no row of this key` }); }
        const change = toJSON(read(step.with, { row: rowOf(step.update, old), key: name }));
        draft.write(step.update, name, checked({ ...old, ...change }, table.row, types));
      } else if ('remove' in step) {
        draft.write(step.remove, key(step.key), undefined);
      } else if ('clear' in step) {
        for (const name of draft.keys(step.clear)) draft.write(step.clear, name, undefined);
      } else if ('when' in step) {
        steps(draft, bool(read(step.when)) ? step.do : step.else ?? [], names);
      } else if ('each' in step) {
        const value = read(step.each);
        const isKeys = value instanceof Rows;
        for (const element of isKeys ? [...value.keys()] : listOf(value)) {
          if (isKeys && !value.has(element)) continue;
          steps(draft, step.do, { ...names, [step.as]: element });
        }
      } else if ('call' in step) {
        const { do: body } = content.define[step.call];
        const given = Object.fromEntries(Object.entries(step.with ?? {}).map(([name, source]) => [name, read(source)]));
        steps(draft, body, given);
      }
    }
  }

  function unique(draft) {
    for (const [label, part] of Object.entries(content.state)) {
      for (const [name, index] of Object.entries(part.indexes ?? {})) {
        if (!index.unique || !draft.changes[label]) continue;
        const by = [index.by ?? []].flat(), groups = new Map();
        for (const key of draft.keys(label)) {
          const env = { names: { key, row: rowOf(label, draft.row(label, key)) }, define, root: { steps: 0 } };
          if (index.where && !formula(index.where)(env)) continue;
          const group = JSON.stringify(by.map((one) => toJSON(formula(one)(env))));
          if (groups.has(group)) throw new Rejection({ status: 409, type: '/problems/not-unique', detail: 'two rows of a unique index', index: name, key });
          groups.set(group, key);
        }
      }
    }
  }

  return {
    content,
    /** Performs an action on a replica. Returns {replica, answer}; throws a Rejection, or another error if it cannot be predicted. */
    perform(replica, name, input, context) {
      const action = content.actions[name];
      if (!action?.do || action.predict === false) throw new Unpredictable(name);
      const draft = new Draft(replica, context);
      draft.isAction = true;
      const schema = action.input ?? { type: 'object', properties: {} };
      let filled;
      try { filled = checked(input, schema, types); } catch (error) {
        throw error instanceof Failure ? new Rejection({ status: 422, type: '/problems/invalid', detail: error.message }) : error;
      }
      draft.names.input = fromJSON(filled, schema, types);
      const names = {};
      const env = () => ({ ...draft.env, names: { ...draft.names, ...names }, base: draft.names });
      try {
        for (const one of action.let ?? []) names[one.name] = formula(one.is)(env());
        for (const { that, else: refusal } of action.require ?? []) {
          if (bool(formula(that)(env()))) continue;
          const status = refusal.status ?? 409;
          throw new Rejection({
            status, type: { 403: '/problems/forbidden', 409: '/problems/conflict' }[status] ?? '/problems/invalid',
            detail: template(refusal.detail, env()), ...(refusal.pointer && { pointer: refusal.pointer }),
          });
        }
        steps(draft, action.do, names);
        unique(draft);
        return { replica: draft.result, answer: action.answer ? toJSON(formula(action.answer)(env())) : undefined };
      } catch (error) {
        throw error instanceof Failure ? new Rejection({ status: 422, type: '/problems/invalid', detail: error.message }) : error;
      }
    },
    /** Returns the value of a local view. */
    view(replica, name, parameters = {}, context) {
      const part = content.views[name], draft = new Draft(replica, context);
      const schema = { type: 'object', properties: part.parameters ?? {} };
      draft.names.input = fromJSON(checked(parameters, schema, types), schema, types);
      const base = { ...draft.env, names: draft.names, base: draft.names };
      if (part.expression !== undefined) return toJSON(formula(part.expression)(base));
      const scope = (key) => ({ ...base, names: { ...draft.names, key, row: rowOf(part.from, draft.row(part.from, key)) } });
      let keys = draft.keys(part.from).filter((key) => !part.where || bool(formula(part.where)(scope(key))));
      const fold = ['count', 'sum', 'min', 'max', 'average'].find((one) => one in part);
      if (fold) return folded(fold, part, keys, scope);
      keys.sort(sorter([part.sort ?? []].flat(), scope).compare);
      if (part.limit !== undefined) keys = keys.slice(0, part.limit);
      return keys.map((key) => part.select ? toJSON(formula(part.select)(scope(key))) : { key, row: draft.row(part.from, key) });
    },
    isLocal: (name) => name in content.views,
    isPredicted: (name) => !!content.actions[name]?.do && content.actions[name].predict !== false,
  };

  function folded(fold, part, keys, scope) {
    const one = (some) => {
      if (fold === 'count') return some.length;
      const values = some.map((key) => formula(part[fold])(scope(key)));
      if (fold === 'sum') return toJSON(values.reduce((sum, value) => operate('+', sum, value), 0n));
      if (!values.length) return null;
      if (fold === 'average') return Number(values.reduce((sum, value) => operate('+', sum, value), 0n)) / values.length;
      return toJSON(values.reduce((best, value) => (compare(value, best) < 0) === (fold === 'min') ? value : best));
    };
    if (!part.by) return one(keys);
    const grouped = {};
    for (const key of keys) (grouped[textOf(formula(part.by)(scope(key)))] ??= []).push(key);
    return Object.fromEntries(Object.entries(grouped).map(([name, some]) => [name, one(some)]));
  }
}

// ---- The mirror of a feature in a space

const features = {}, snapshots = {};

/** Reads an event of a stream: the rows of replicas become patches, and the parts of a snapshot one value. */
settings.read = (source) => {
  const { _rows, _more, ...event } = JSON.parse(source);
  for (const name in _rows) {
    const step = (part) => part.replace(/~/g, '~0').replace(/\//g, '~1');
    (event._patches ??= {})[name] = Object.entries(_rows[name]).flatMap(([label, change]) => {
      const isTable = tables[name.slice(name.indexOf('/') + 1)]?.has(label);
      if (!isTable) return [{ op: 'add', path: `/${label}`, value: change }];
      return Object.entries(change).map(([key, value]) => value === null ? { op: 'remove', path: `/${label}/${step(key)}` }
        : { op: 'add', path: `/${label}/${step(key)}`, value });
    });
  }
  for (const name of Object.keys(event).filter((one) => one.endsWith('!replica'))) {
    const parts = snapshots[name] ??= {};
    for (const [label, value] of Object.entries(event[name])) parts[label] = value?.constructor === Object && parts[label] ? { ...parts[label], ...value } : value;
    if (_more?.includes(name)) { delete event[name]; continue; }
    event[name] = parts;
    delete snapshots[name];
  }
  return event;
};

/** The tables of each replica that this page follows. */
const tables = {};

/** Loads the document for clients, and the claims of the caller. */
async function load(name) {
  let { token } = settings;
  if (token?.call) token = token();
  token = await token;
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  const base = new URL('v1/', import.meta.url).href;
  const place = `headwater mirror ${base}${name}`;
  try {
    const reply = await fetch(`${base}features/${name}/client`, { headers });
    if (!reply.ok) throw Object.assign(Error('no document for clients'), { status: reply.status });
    const content = await reply.json();
    const me = await fetch(`${base}me`, { headers }).then((one) => one.ok ? one.json() : {}, () => ({}));
    const known = { content, token: { sub: me.subject ?? me.sub ?? '', ...me.claims } };
    if (settings.persist !== false) globalThis.localStorage?.setItem(place, JSON.stringify(known));
    return known;
  } catch (error) {
    const known = globalThis.localStorage?.getItem(place);
    if (known && !(error.status >= 400)) return JSON.parse(known);
    throw error;
  }
}

/** Returns the mirror of a feature in a space: its views, and its actions, performed here at once. */
export function mirror(name, { space = 'main' } = {}) {
  const replica = watch(`${name}!replica`, { space });
  const views = {};
  let engine, token = { sub: '' };
  // The actions of earlier lives of the page, which are performed again on what is shown.
  let earlier = [], stop = () => {};
  const mine = new Set();
  const recall = () => pending().then((all) => {
    earlier = all.filter((one) => one.space === space && one.state !== 'refused' && one.name.startsWith(`${name}/`) && !mine.has(one.id));
    showAll();
  }, () => {});
  const showAll = () => Object.values(views).forEach((one) => one.show());
  const ready = (features[name] ??= load(name)).then((known) => {
    [engine, token] = [feature(known.content), known.token];
    tables[`${name}!replica`] = new Set(Object.keys(known.content.state).filter((one) => known.content.state[one].table));
    const ends = [replica.subscribe(showAll), status.subscribe(recall)];
    stop = () => ends.forEach((end) => end());
  });
  ready.catch(() => { delete features[name]; });
  /** The replica with all that waits performed on it. */
  const shown = () => earlier.reduce((value, one) => {
    try { return engine.perform(value, one.name.slice(name.length + 1), one.input, context()).replica; } catch { return value; }
  }, replica.get());
  const context = () => ({ token, space, newId: () => `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 12)}` });

  function local(view, parameters) {
    const calls = new Set();
    let value, remote, last;
    const one = {
      get: () => value,
      get status() { return replica.status; },
      show() {
        if (!engine) return;
        if (!engine.isLocal(view)) {
          if (calls.size && !remote) remote = watch(`${name}.${view}`, { space, parameters }).subscribe((next) => tell(next), (problem) => calls.forEach(({ fail: call }) => call?.(problem)));
          return;
        }
        if (replica.get() === undefined) return;
        const held = shown();
        if (held === last) return;
        last = held;
        try { tell(engine.view(held, view, parameters, context())); } catch (error) { calls.forEach(({ fail: call }) => call?.(error)); }
      },
      subscribe(call, failure) {
        const pair = { call, fail: failure };
        calls.add(pair);
        if (value !== undefined) call(value);
        one.show();
        return () => { calls.delete(pair); if (!calls.size) { remote?.(); remote = undefined; } };
      },
    };
    function tell(next) {
      if (JSON.stringify(next) === JSON.stringify(value)) return;
      value = next;
      for (const { call } of calls) call(value);
    }
    return one;
  }

  return {
    ready, replica,
    /** The store of a view: computed here if it is local, else from the server. */
    view: (view, parameters = {}) => views[`${view}?${JSON.stringify(parameters)}`] ??= local(view, parameters),
    /** Performs an action: at once over the replica, then on the server. A guard that fails is a Rejection, and nothing is sent. */
    act(action, input = {}, options = {}) {
      const held = replica.get(), now = new Date().toISOString();
      const run = (value) => engine.perform(value, action, input, { ...context(), now }).replica;
      if (engine?.isPredicted(action) && held !== undefined && replica.status === 'live') {
        try { run(held); } catch (error) { if (error instanceof Rejection) return Promise.reject(error); }
      }
      const isPredicted = engine?.isPredicted(action);
      const done = send(`${name}/${action}`, input, { ...options, space, ...(isPredicted && { optimistic: { [`${name}!replica`]: run } }) });
      mine.add(done.id);
      return done;
    },
    close: () => stop(),
  };
}

/** The parts of the engine, for tests. */
export const internals = { Instant, Period, TypeName, Uint, isMap, readPeriod, typeOf };
