// Headwater
// The mirror for browsers: a feature over its replica. docs/mirror.md describes it. The first line is served, with little room.

import { act as send, inside, settings, status, view as watch } from './client.js';

// ---- Values: null, booleans, texts, BigInt (int), numbers (double), arrays, maps, and these. Unsigned integers and bytes are the server's

class Instant { constructor(nanos) { this.nanos = nanos; } }
class Period { constructor(nanos) { this.nanos = nanos; } }
/** An exact number: `digits`, a BigInt, over ten to the power of `places`. */
class Decimal { constructor(digits, places) { Object.assign(this, { digits, places }); } }

/** The failure of an expression. It has no words: those of the server count. */
export class Failure extends Error {}
/** Something that only the server can compute: what is not here, or what the engine lacks. */
export class Unpredictable extends Failure {}

const fail = (words) => { throw new Failure(words); };
const [least, greatest, second] = [-(2n ** 63n), 2n ** 63n - 1n, 1000000000n];
const int = (value) => value >= least && value <= greatest ? value : fail();
const instant = (nanos) => nanos >= -62135596800n * second && nanos < 253402300800n * second
  ? new Instant(nanos) : fail();
const period = (nanos) => new Period(int(nanos));
const isMap = (value) => value instanceof Map || value instanceof Rows;
const isNumber = (value) => typeof value === 'bigint' || typeof value === 'number' || value instanceof Decimal;
const beyond = (words) => { throw new Unpredictable(words); };

/** Returns the decimal of a text, an int or a uint. */
function decimal(value) {
  if (value instanceof Decimal) return value;
  if (typeof value === 'bigint') return new Decimal(value, 0);
  const found = typeof value === 'string' && /^(-?)(\d+)(?:\.(\d+))?$/.exec(value);
  if (!found) return fail();
  const [, sign, whole, parts = ''] = found;
  return short(BigInt(sign + whole + parts), parts.length);
}

/** Returns a decimal without zeros at its end. One of more than 34 digits is the server's. */
function short(digits, places) {
  for (; places > 0 && digits % 10n === 0n; places--) digits /= 10n;
  return String(digits).length > 34 || places > 300 ? beyond() : new Decimal(digits, places);
}

/** Returns the digits of two decimals at the same place. A double is not exact. */
function aligned(a, b) {
  if (typeof a === 'number' || typeof b === 'number') fail();
  const [one, other] = [decimal(a), decimal(b)], places = Math.max(one.places, other.places);
  return [one.digits * 10n ** BigInt(places - one.places), other.digits * 10n ** BigInt(places - other.places), places];
}

/** Rounds half to even. */
function round(value, places) {
  const { digits, places: own } = value instanceof Decimal || typeof value === 'bigint' ? decimal(value) : fail();
  const to = typeof places === 'bigint' && places >= -34n && places <= 34n ? Number(places) : fail();
  if (own <= to) return short(digits, own);
  const unit = 10n ** BigInt(own - to), [whole, rest] = floor(digits, unit);
  const up = rest * 2n > unit || rest * 2n === unit && whole % 2n !== 0n ? 1n : 0n;
  return to < 0 ? new Decimal((whole + up) * 10n ** BigInt(-to), 0) : short(whole + up, to);
}

function decimalText({ digits, places }) {
  const text = pad(digits < 0n ? -digits : digits, places + 1);
  return `${digits < 0n ? '-' : ''}${places ? `${text.slice(0, -places)}.${text.slice(-places)}` : text}`;
}

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
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (isMap(value)) return 'map';
  if (value instanceof Decimal) return 'decimal';
  if (isTime(value)) return value.constructor.name;
  return { boolean: 'bool', string: 'string', bigint: 'int', number: 'double' }[typeof value] ?? fail();
}

const isExact = (a, b) => a instanceof Decimal || b instanceof Decimal;

export function equal(a, b) {
  if (isNumber(a) && isNumber(b)) return isExact(a, b) ? compare(a, b) === 0 : a == b;
  const type = typeOf(a);
  if (type !== typeOf(b)) return false;
  if (type === 'list') return a.length === b.length && a.every((one, place) => equal(one, b[place]));
  if (type === 'map') return a.size === b.size && [...a.keys()].every((key) => {
    const other = entry(b, key);
    return other !== undefined && equal(a.get(key), other);
  });
  return isTime(a) ? a.nanos === b.nanos : a === b;
}

const isTime = (value) => value instanceof Instant || value instanceof Period;

function compare(a, b) {
  const less = (one, other) => one < other ? -1 : one > other ? 1 : one == other ? 0 : NaN;
  if (isNumber(a) && isNumber(b)) {
    if (isExact(a, b)) return less(...aligned(a, b));
    // An int and a double are compared as doubles.
    return typeof a === typeof b ? less(a, b) : less(Number(a), Number(b));
  }
  if (typeOf(a) !== typeOf(b)) fail();
  return typeof a === 'string' ? compareTexts(a, b) : typeof a === 'boolean' ? a - b : isTime(a) ? less(a.nanos, b.nanos) : fail();
}

/** The key of a map that equals a value: 1, 1u and 1.0 are one key. */
function keyOf(map, key) {
  if (map.has(key)) return key;
  if (!isNumber(key)) return undefined;
  for (const one of map.keys()) if (isNumber(one) && equal(one, key)) return one;
  return undefined;
}
const entry = (map, key) => {
  const known = keyOf(map, key);
  return known === undefined ? undefined : map.get(known);
};

// ---- Texts of values

const pad = (number, count) => String(number).padStart(count, '0');
const fraction = (nanos) => nanos ? `.${pad(nanos, 9).replace(/(000)+$/, '')}` : '';

function floor(a, b) { const rest = ((a % b) + b) % b; return [(a - rest) / b, rest]; }

function instantText({ nanos }) {
  const [seconds, rest] = floor(nanos, second);
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}${fraction(rest)}Z`;
}

export function readInstant(text) {
  const found = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/.exec(text);
  if (!found) return fail();
  const [, year, month, day, hour, minute, seconds, parts = '', sign, hours = 0, minutes = 0] = found;
  const date = new Date(0);
  date.setUTCFullYear(+year, +month - 1, +day);
  if (date.getUTCDate() !== +day || +hour > 23 || +minute > 59 || +seconds > 59 || +hours > 23 || +minutes > 59 || +year < 1) fail();
  const offset = (+hours * 60 + +minutes) * 60 * (sign === '-' ? 1 : -1);
  const total = BigInt(date.getTime() / 1000 + +hour * 3600 + +minute * 60 + +seconds + (sign ? offset : 0));
  return instant(total * second + BigInt(parts.slice(0, 9).padEnd(9, '0')));
}

const units = { h: 3600n * second, m: 60n * second, s: second, ms: 1000000n, us: 1000n, 'µs': 1000n, ns: 1n };

function readPeriod(text) {
  const found = /^([+-]?)((?:\d+\.?\d*|\.\d+)(?:h|ms|m|s|us|µs|ns))+$/.exec(text);
  if (/^[+-]?0$/.test(text)) return new Period(0n);
  if (!found) return fail();
  let total = 0n;
  for (const [, whole, parts = '', unit] of text.matchAll(/(\d*)(?:\.(\d*))?(h|ms|m|s|us|µs|ns)/g)) {
    total += BigInt(whole || 0) * units[unit] + BigInt(parts.slice(0, 15) || 0) * units[unit] / 10n ** BigInt(Math.min(parts.length, 15));
  }
  return period(found[1] === '-' ? -total : total);
}

function periodText({ nanos }) {
  const size = nanos < 0n ? -nanos : nanos;
  return `${nanos < 0n ? '-' : ''}${size / second}${fraction(size % second)}s`;
}

const doubleText = (value) => Object.is(value, -0) ? '-0' : value === Infinity ? '+Inf' : value === -Infinity ? '-Inf' : String(value);

const textOf = (value) => typeof value === 'string' ? value : typeof value === 'number' ? doubleText(value)
  : typeof value === 'bigint' || typeof value === 'boolean' ? String(value) : value instanceof Decimal ? decimalText(value)
    : value instanceof Instant ? instantText(value) : value instanceof Period ? periodText(value)
      : fail();

// ---- The language: formulas become functions of an environment

const keywords = { true: true, false: false, null: null };
const escaped = (letter) => '\x07\b\f\n\r\t\v\\?"\'`'['abfnrtv\\?"\'`'.indexOf(letter)];

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
    if (take(/[bB][rR]?["']|(0[xX][0-9a-fA-F]+|\d+)[uU]/y)) {
      beyond();
    } else if ((found = take(/([rR]?)("""|'''|"|')/y))) {
      tokens.push({ kind: 'string', value: text(found[1] !== '', found[2]) });
    } else if ((found = take(/\d*\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+/y))) {
      if (!Number.isFinite(Number(found[0]))) fail();
      tokens.push({ kind: 'double', value: Number(found[0]) });
    } else if ((found = take(/0[xX][0-9a-fA-F]+|\d+/y))) {
      tokens.push({ kind: 'int', value: BigInt(found[0]) });
    } else if ((found = take(/[A-Za-z_]\w*/y))) {
      tokens.push({ kind: 'word', value: found[0] });
    } else if ((found = take(/`([\w.\-/ ]+)`/y))) {
      tokens.push({ kind: 'quoted', value: found[1] });
    } else if ((found = take(/==|!=|<=|>=|&&|\|\||[<>+\-*/%!?:.,()[\]{}]/y))) {
      tokens.push({ kind: 'sign', value: found[0] });
    } else {
      fail();
    }
  }
  return [...tokens, { kind: 'end' }];

  function text(isRaw, quote) {
    let result = '';
    for (;;) {
      if (place >= source.length) fail();
      if (source.startsWith(quote, place)) {
        place += quote.length;
        return result;
      }
      const letter = String.fromCodePoint(source.codePointAt(place));
      if (quote.length === 1 && /[\n\r]/.test(letter)) fail();
      place += letter.length;
      if (letter !== '\\' || isRaw) { result += letter; continue; }
      const [next] = source.slice(place);
      place += 1;
      if (escaped(next)) { result += escaped(next); continue; }
      const found = take(/(?<=[xX])[0-9a-fA-F]{2}|(?<=u)[0-9a-fA-F]{4}|(?<=U)[0-9a-fA-F]{8}|(?<=[0-3])[0-7]{2}/y);
      if (!found) fail();
      const code = /[0-3]/.test(next) ? parseInt(next + found[0], 8) : parseInt(found[0], 16);
      if (code > 0x10ffff || code >= 0xd800 && code < 0xe000) fail();
      result += String.fromCodePoint(code);
    }
  }
}

const ranks = { '||': 1, '&&': 2, '==': 3, '!=': 3, '<': 3, '<=': 3, '>': 3, '>=': 3, in: 3, '+': 4, '-': 4, '*': 5, '/': 5, '%': 5 };
/** The macros, with the greatest number of their parts after the range. */
const macros = { filter: 2, sortBy: 2, all: 3, exists: 3, exists_one: 3, existsOne: 3, map: 3, transformList: 4, transformMap: 4, transformMapEntry: 4 };

/** Parses a formula into parts: [form, …]. */
function parse(source) {
  const tokens = lex(source);
  let place = 0, depth = 0;
  const peek = (value, kind = 'sign') => tokens[place].value === value && (tokens[place].kind === kind);
  const accept = (value) => peek(value) && ++place;
  const expect = (value) => accept(value) || fail();
  function expression() {
    if (++depth > 48) fail();
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
        if (kind !== 'word' && kind !== 'quoted') fail();
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
      case 'double': case 'string': return ['literal', token.value];
      case 'word':
        if (token.value === 'in') fail();
        if (Object.hasOwn(keywords, token.value)) return ['literal', keywords[token.value]];
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
    return fail();
  }
  const part = expression();
  if (tokens[place].kind !== 'end') fail();
  return part;
}

const arithmetic = {
  '+': (a, b) => a + b, '-': (a, b) => a - b, '*': (a, b) => a * b,
  '/': (a, b) => b === 0n ? fail() : a / b, '%': (a, b) => b === 0n ? fail() : a % b,
};

function operate(sign, a, b, isStrict) {
  if (isNumber(a) && isNumber(b)) {
    if (isExact(a, b)) {
      const [one, other, places] = aligned(a, b);
      return '+-'.includes(sign) ? short(arithmetic[sign](one, other), places) : sign === '*' ? short(one * other, places * 2) : beyond();
    }
    if (typeof a === 'bigint' && typeof b === 'bigint') return int(arithmetic[sign](a, b));
    if (isStrict && typeof a !== typeof b || sign === '%') fail();
    return arithmetic[sign](Number(a), Number(b));
  }
  const [one, other] = [typeOf(a), typeOf(b)];
  if (sign === '+' && one === other) {
    if (one === 'string') return a + b;
    if (one === 'list') return [...a, ...b];
  }
  if (a instanceof Instant && b instanceof Period) return sign === '+' ? instant(a.nanos + b.nanos) : sign === '-' ? instant(a.nanos - b.nanos) : fail();
  if (a instanceof Period && b instanceof Instant && sign === '+') return instant(a.nanos + b.nanos);
  if (a instanceof Instant && b instanceof Instant && sign === '-') return period(a.nanos - b.nanos);
  if (a instanceof Period && b instanceof Period && '+-'.includes(sign)) return period(arithmetic[sign](a.nanos, b.nanos));
  return fail();
}

const bool = (value) => typeof value === 'boolean' ? value : fail();

/** Compiles a formula. The result takes an environment, {names, steps, define, isStrict}, and returns the value. */
export function cel(source) {
  const run = compile(parse(source));
  return (env) => run(env.root ? env : { ...env, root: { steps: 0 }, names: bare(env.names) });
}

const bind = (env, names) => ({ __proto__: env, names: { __proto__: env.names, ...names } });

function compile(part) {
  const run = form(part);
  return (env) => {
    if (++env.root.steps > 100000) fail();
    return run(env);
  };
}

function member(value, name) {
  if (isMap(value)) {
    const found = entry(value, name);
    return found === undefined ? fail() : found;
  }
  return fail();
}

/** The name of a group of functions before a dot, as in math.abs. */
const groups = new Set(['math', 'lists', 'cel']);

function form([kind, ...parts]) {
  switch (kind) {
    case 'literal': return () => parts[0];
    case 'name': return ({ names }) => names[parts[0]] ?? (parts[0] in names ? null : fail());
    case 'member': {
      const target = compile(parts[0]);
      return (env) => member(target(env), parts[1]);
    }
    case 'index': {
      const [target, index] = parts.map(compile);
      return (env) => {
        const [value, key] = [target(env), index(env)];
        if (Array.isArray(value)) {
          const place = isNumber(key) ? Number(key) : fail();
          return value[Number.isInteger(place) && place >= 0 && place < value.length ? place : fail()];
        }
        if (!isMap(value)) fail();
        const found = entry(value, key);
        return found === undefined ? fail() : found;
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
          if (typeof name !== 'string' && typeof name !== 'bigint' && typeof name !== 'boolean') fail();
          if (keyOf(map, name) !== undefined) fail();
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
        return typeof value === 'bigint' ? int(-value) : typeof value === 'number' ? -value : value instanceof Period ? period(-value.nanos) : fail();
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
        return isMap(all) ? keyOf(all, value) !== undefined : fail();
      };
    }
    case '+': case '-': case '*': case '/': case '%': {
      const [left, right] = parts.map(compile);
      return (env) => operate(kind, left(env), right(env), env.isStrict);
    }
    case 'call': return call(parts[0], parts[1]);
    case 'method': return method(...parts);
    default: return fail();
  }
}

function call(name, parts) {
  if (name === 'has' && parts.length === 1 && parts[0][0] === 'member') {
    const target = compile(parts[0][1]);
    return (env) => {
      const value = target(env);
      return isMap(value) ? keyOf(value, parts[0][2]) !== undefined : fail();
    };
  }
  const values = parts.map(compile);
  return (env) => {
    const definition = env.define?.[name];
    if (definition) return definition(values.map((one) => one(env)), env);
    if (name === 'newId') return env.newId ? env.newId() : fail();
    const found = functions[name] ?? beyond();
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
    return (env) => env.index ? env.index(name, values.map((one) => one(env))) : fail();
  }
  if (parts.length >= (macros[name] > 3 ? 3 : 2) && parts.length <= macros[name] && parts[0][0] === 'name') return macro(target, name, parts);
  const receiver = compile(target), values = parts.map(compile);
  return (env) => {
    const [value, given] = [receiver(env), values.map((one) => one(env))];
    const found = (value instanceof Rows && rangeMethods[name]) || methods[name] || beyond();
    if (given.length > (greatestCounts[name] ?? found.length - 1)) fail();
    return found(value, ...given);
  };
}

/** The greatest number of values of the methods that can have fewer. */
const greatestCounts = { substring: 2, indexOf: 2, lastIndexOf: 2, replace: 3, split: 2, join: 1, flatten: 1 };

function macro(target, name, parts) {
  const range = compile(target);
  const isTwo = name.startsWith('transform') || name !== 'map' && parts.length === 3;
  const variables = parts.slice(0, isTwo ? 2 : 1).map(([kind, value]) => kind === 'name' ? value : fail());
  const bodies = parts.slice(variables.length).map(compile);
  const [body] = bodies.slice(-1), condition = bodies.length === 2 ? bodies[0] : undefined;
  return (env) => {
    const value = range(env);
    const keys = Array.isArray(value) ? value.map((_, place) => BigInt(place)) : isMap(value) ? [...value.keys()] : fail();
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
          for (const [key, value] of name === 'transformMap' ? [[keys[place], result]] : isMap(result) ? [...result] : fail()) {
            if (keyOf(map, key) !== undefined) fail();
            map.set(key, value);
          }
        }
        return map;
      }
    }
  };
}

// ---- Functions

const letters = (text) => typeof text === 'string' ? [...text] : fail();
const text = (value) => typeof value === 'string' ? value : fail();
const count = (value) => typeof value === 'bigint' ? Number(value) : fail();
const listOf = (value) => Array.isArray(value) ? value : fail();
const size = (value) => BigInt(typeof value === 'string' ? letters(value).length : Array.isArray(value) ? value.length : isMap(value) ? value.size : fail());
const inRange = (value, low, high) => value > low && value < high ? BigInt(Math.trunc(value)) : fail();
const real = (value) => typeof value === 'number' ? value : typeof value === 'bigint' ? Number(value) : fail();
const extreme = (sign) => (...values) => {
  const all = values.length === 1 && Array.isArray(values[0]) ? values[0] : values;
  if (!all.length || !all.every(isNumber)) fail();
  return all.reduce((best, one) => compare(one, best) * sign > 0 ? one : best);
};
const spaces = /^\p{White_Space}+|\p{White_Space}+$/gu;

const functions = {
  size, dyn: (value) => value,
  int: (value) => typeof value === 'bigint' ? value
    : typeof value === 'number' ? inRange(value, -9223372036854775808, 9223372036854775808)
      : value instanceof Instant ? floor(value.nanos, second)[0] : value instanceof Decimal ? int(value.digits / 10n ** BigInt(value.places))
        : typeof value === 'string' && /^-?\d+$/.test(value) ? int(BigInt(value)) : fail(),
  decimal, round,
  double: (value) => value instanceof Decimal ? Number(decimalText(value)) : isNumber(value) ? Number(value) : typeof value === 'string' && /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(value) ? Number(value)
    : { __proto__: null, NaN, Infinity, '-Infinity': -Infinity }[value] ?? fail(),
  bool: (value) => typeof value === 'boolean' ? value : /^(1|t|true|TRUE|True)$/.test(text(value)) ? true : /^(0|f|false|FALSE|False)$/.test(value) ? false : fail(),
  string: (value) => { try { return textOf(value); } catch { return fail(); } },
  timestamp: (value) => value instanceof Instant ? value : typeof value === 'bigint' ? instant(value * second) : readInstant(text(value)),
  duration: (value) => value instanceof Period ? value : readPeriod(text(value)),
  'math.greatest': extreme(1), 'math.least': extreme(-1),
  'math.ceil': (value) => Math.ceil(real(value)), 'math.floor': (value) => Math.floor(real(value)), 'math.trunc': (value) => Math.trunc(real(value)),
  'math.round': (value) => Math.sign(real(value)) * Math.floor(Math.abs(real(value)) + 0.5),
  'math.abs': (value) => typeof value === 'bigint' ? int(value < 0n ? -value : value) : Math.abs(real(value)),
  'math.sign': (value) => typeof value === 'bigint' ? BigInt(value > 0n) - BigInt(value < 0n) : Math.sign(real(value)),
  'math.sqrt': (value) => Math.sqrt(real(value)),
  'lists.range': (value) => count(value) > 100000 ? fail() : Array.from({ length: Math.max(0, count(value)) }, (_, place) => BigInt(place)),
};

const at = (value, length) => value >= 0 && value <= length ? value : fail();
const find = (value, part, from, isLast) => {
  const start = from === undefined ? isLast ? Infinity : 0 : letters(value).slice(0, at(count(from), letters(value).length)).join('').length;
  const place = isLast ? text(value).lastIndexOf(text(part), start) : text(value).indexOf(text(part), start);
  return place < 0 ? -1n : size(value.slice(0, place));
};
const dated = (read, ofPeriod) => (value) => {
  if (value instanceof Period && ofPeriod) return ofPeriod(value.nanos);
  if (!(value instanceof Instant)) return fail();
  const [seconds, rest] = floor(value.nanos, second);
  return BigInt(read(new Date(Number(seconds) * 1000), rest));
};

const methods = {
  size, contains: (value, part) => text(value).includes(text(part)), startsWith: (value, part) => text(value).startsWith(text(part)),
  endsWith: (value, part) => text(value).endsWith(text(part)),
  charAt: (value, place) => letters(value)[at(count(place), letters(value).length)] ?? '',
  indexOf: (value, part, from) => find(value, part, from), lastIndexOf: (value, part, from) => find(value, part, from, true),
  substring: (value, from, to) => {
    const all = letters(value), [start, end] = [at(count(from), all.length), to === undefined ? all.length : at(count(to), all.length)];
    return start > end ? fail() : all.slice(start, end).join('');
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
  slice: (value, from, to) => count(from) > count(to) ? fail() : listOf(value).slice(at(count(from), value.length), at(count(to), value.length)),
  flatten: (value, depth = 1n) => count(depth) < 0 ? fail() : listOf(value).flat(count(depth)),
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

/** Returns the first place in a sorted list whose element does not come before one. */
function placeIn(list, order) {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (order(list[middle]) < 0) low = middle + 1; else high = middle;
  }
  return low;
}

/** A list that is sorted when it is first read, and changed in place from then on. */
class Sorted {
  constructor(all, order) { Object.assign(this, { all, order, list: undefined }); }
  get items() { return this.list ??= [...this.all()].sort(this.order); }
  place(item) { return placeIn(this.list, (one) => this.order(one, item)); }
  add(item) { this.list?.splice(this.place(item), 0, item); }
  remove(item) {
    if (!this.list) return;
    const place = this.place(item);
    if (this.list[place] === item) this.list.splice(place, 1); else this.list = undefined;
  }
}

/** Rows by key: of a table, in the order of their keys, or of a group of an index, in its order. */
class Rows {
  constructor(keys, read, has, count, order) { Object.assign(this, { list: keys, read, has, count, order }); }
  get ordered() { return typeof this.list === 'function' ? this.list = this.list() : this.list; }
  get size() { return this.count ? this.count() : this.ordered.length; }
  keys() { return this.ordered; }
  get(key) { return this.has(key) ? this.read(key) : undefined; }
  part(keys) { const set = new Set(keys); return new Rows(keys, this.read, (key) => set.has(key), undefined, this.order); }
  [Symbol.iterator]() { return this.ordered.map((key) => [key, this.read(key)])[Symbol.iterator](); }
}

const rangeMethods = {
  first: (rows) => rows.size ? rows.read(rows.ordered[0]) : null, last: (rows) => rows.size ? rows.read(rows.ordered.at(-1)) : null,
  firstKey: (rows) => rows.ordered[0] ?? null, lastKey: (rows) => rows.ordered.at(-1) ?? null, only: (rows) => rows.size ? rows.read(rows.ordered[0]) : null,
  limit: (rows, most) => rows.part(rows.ordered.slice(0, Math.max(0, count(most)))),
  from: (rows, bound) => rows.part(rows.ordered.filter((key) => rows.order.place(key, bound) >= 0)),
  until: (rows, bound) => rows.part(rows.ordered.filter((key) => rows.order.place(key, bound) < 0)),
};

/** The text of a value by which rows of one group are found: equal for equal values. */
const groupText = (value) => isNumber(value) ? `n${typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : textOf(value)}`
  : Array.isArray(value) ? `[${value.map(groupText)}]` : isMap(value) ? `{${[...value].map(([key, one]) => `${groupText(key)}:${groupText(one)}`).sort()}}`
    : JSON.stringify(typeof value === 'object' && value ? textOf(value) : value) + typeOf(value)[0];

/** The rows of a table as the server has confirmed them, and its indexes. */
class Table {
  constructor() { Object.assign(this, { rows: new Map(), indexes: {}, keys: new Sorted(() => this.rows.keys(), compareTexts) }); }
  write(key, row) {
    const old = this.rows.get(key), indexes = Object.values(this.indexes);
    if (old !== undefined) indexes.forEach((index) => index.remove(key, old));
    if (row !== undefined) this.rows.set(key, row); else this.rows.delete(key);
    if (row !== undefined) indexes.forEach((index) => index.add(key, row));
    if (old === undefined && row !== undefined) this.keys.add(key); else if (old !== undefined && row === undefined) this.keys.remove(key);
  }
}

/** An index of the confirmed rows of a table, made when it is first read. `groupOf` has no group for rows that do not count. */
class Index {
  constructor(table, groupOf, order) {
    Object.assign(this, { groupOf, order, groups: new Map() });
    for (const [key, row] of table.rows) this.add(key, row);
  }
  remove(key, row) {
    const name = this.groupOf(key, row), group = this.groups.get(name);
    if (!group) return;
    group.sorted.remove(key);
    group.keys.delete(key);
    this.order.forget(key);
    if (!group.keys.size) this.groups.delete(name);
  }
  add(key, row) {
    const name = this.groupOf(key, row);
    if (name === undefined) return;
    if (!this.groups.has(name)) {
      const keys = new Set();
      this.groups.set(name, { keys, sorted: new Sorted(() => keys, this.order.compare) });
    }
    const group = this.groups.get(name);
    group.keys.add(key);
    group.sorted.add(key);
  }
}

// ---- Values and JSON

const readers = new WeakMap();
const target = (schema, types) => { while (schema.$ref) schema = types[schema.$ref.split('/').pop()] ?? {}; return schema; };

const branchOf = ({ oneOf, discriminator: { propertyName: name } }, json, types) => oneOf.map((one) => target(one, types)).find((one) => one.properties[name].const === json?.[name]);

/** Reads a JSON value as its schema says. */
export const fromJSON = (json, schema = {}, types = {}) => readerOf(schema, types)(json);

function readerOf(schema, types) {
  let reader = readers.get(schema);
  if (!reader) {
    // A schema that contains itself finds the reader that is being made.
    readers.set(schema, (json) => reader(json));
    readers.set(schema, reader = makeReader(target(schema, types), types));
  }
  return reader;
}

function makeReader(schema, types) {
  if (schema.anyOf) schema = target(schema.anyOf.find((one) => one.type !== 'null') ?? {}, types);
  if (schema.oneOf) return (json) => readerOf(branchOf(schema, json, types) ?? {}, types)(json);
  const kinds = [schema.type ?? []].flat(), isReal = kinds.includes('number') && !kinds.includes('integer'), { format, properties = {} } = schema;
  const other = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {};
  return (json) => {
    if (typeof json === 'number') {
      if (format === 'decimal') return String(json).replace(/\D/g, '').length > 15 || /e/.test(json) ? beyond() : decimal(String(json));
      if (isReal || !Number.isInteger(json)) return json;
      // An int that a browser cannot read exactly is the server's.
      return Number.isSafeInteger(json) ? BigInt(json) : beyond();
    }
    if (typeof json === 'string') return format === 'date-time' ? readInstant(json) : json;
    if (json === null || typeof json !== 'object') return json;
    if (Array.isArray(json)) { const item = readerOf(schema.items ?? {}, types); return json.map((one) => item(one)); }
    const map = new Map();
    for (const key in json) map.set(key, readerOf(Object.hasOwn(properties, key) ? properties[key] : other, types)(json[key]));
    return map;
  };
}

/** Returns a value as JSON. */
function toJSON(value) {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : beyond();
  if (typeof value === 'number') return Number.isFinite(value) ? value : fail();
  if (value instanceof Decimal) return String(value.digits).length > 15 ? beyond() : Number(decimalText(value));
  if (isTime(value)) return textOf(value);
  if (Array.isArray(value)) return value.map(toJSON);
  if (isMap(value)) return Object.fromEntries([...value].map(([key, one]) => [textOf(key), toJSON(one)]));
  return value;
}

/** Returns a value with its defaults. Throws if it does not satisfy the schema. */
function checked(json, schema = {}, types = {}) {
  if (schema.private) return json;
  schema = target(schema, types);
  if (schema.anyOf) return json === null ? null : checked(json, schema.anyOf.find((one) => one.type !== 'null'), types);
  if (schema.oneOf) return checked(json, branchOf(schema, json, types) ?? fail(), types);
  const kind = json === null ? 'null' : Array.isArray(json) ? 'array' : typeof json;
  const kinds = [schema.type ?? kind].flat().map((one) => one === 'integer' && Number.isInteger(json) ? 'number' : one);
  const within = (value, least, greatest) => value >= (least ?? -Infinity) && value <= (greatest ?? Infinity) || fail();
  if (!kinds.includes(kind)) fail();
  if (!(schema.enum ?? [json]).some((one) => inside.same(one, json)) || 'const' in schema && schema.const !== json) fail();
  if (kind === 'string') {
    within([...json].length, schema.minLength, schema.maxLength);
    if (schema.format === 'date-time') readInstant(json);
  }
  if (kind === 'number') {
    within(json, schema.minimum, schema.maximum);
    if (json <= (schema.exclusiveMinimum ?? -Infinity) || json >= (schema.exclusiveMaximum ?? Infinity)) fail();
  }
  if (kind === 'array') {
    within(json.length, schema.minItems, schema.maxItems);
    return schema.items ? json.map((one) => checked(one, schema.items, types)) : json;
  }
  if (kind !== 'object') return json;
  const result = {}, { properties = {}, required = [], additionalProperties: other } = schema;
  for (const name in properties) {
    const property = properties[name], whole = { ...target(property, types), ...property };
    // Clients never have private members.
    if (property.private) continue;
    if (Object.hasOwn(json, name)) result[name] = checked(json[name], property, types); else if ('default' in whole) result[name] = whole.default;
  }
  for (const name of required) if (!properties[name]?.private && !Object.hasOwn(result, name) && !Object.hasOwn(json, name)) fail();
  for (const name in json) {
    if (Object.hasOwn(properties, name)) continue;
    if (other === false || schema.properties && other === undefined) fail();
    result[name] = typeof other === 'object' ? checked(json[name], other, types) : json[name];
  }
  return result;
}

// ---- Identifiers that the server will make too

const primes = [];
for (let number = 2; primes.length < 64; number++) if (primes.every((one) => number % one)) primes.push(number);
const fractions = (power) => primes.map((prime) => (prime ** power % 1) * 2 ** 32 | 0);

/** Returns the first 64 bits of the SHA-256 of a text. */
function digestOf(text) {
  const bytes = new TextEncoder().encode(text), words = new Int32Array(((bytes.length + 8 >> 6) + 1) * 16), constants = fractions(1 / 3);
  bytes.forEach((byte, place) => { words[place >> 2] |= byte << 24 - place % 4 * 8; });
  words[bytes.length >> 2] |= 0x80 << 24 - bytes.length % 4 * 8;
  words[words.length - 1] = bytes.length * 8;
  const state = fractions(1 / 2).slice(0, 8), turn = (word, by) => word >>> by | word << 32 - by;
  for (let block = 0; block < words.length; block += 16) {
    const schedule = [...words.subarray(block, block + 16)];
    let [a, b, c, d, e, f, g, h] = state;
    for (let round = 0; round < 64; round++) {
      if (round > 15) {
        const [early, late] = [schedule[round - 15], schedule[round - 2]];
        schedule[round] = schedule[round - 16] + (turn(early, 7) ^ turn(early, 18) ^ early >>> 3) + schedule[round - 7] + (turn(late, 17) ^ turn(late, 19) ^ late >>> 10) | 0;
      }
      h = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + (e & f ^ ~e & g) + constants[round] + schedule[round] | 0;
      [a, b, c, d, e, f, g, h] = [h + (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + (a & b ^ a & c ^ b & c) | 0, a, b, c, d + h | 0, e, f, g];
    }
    [a, b, c, d, e, f, g, h].forEach((word, place) => { state[place] = state[place] + word | 0; });
  }
  return BigInt(state[0] >>> 0) << 32n | BigInt(state[1] >>> 0);
}

/** Returns the identifier with a number among those of an action in a queue, as the server will make it. */
function knownID({ space, subject, client, n, name, time }, index) {
  const mark = digestOf(JSON.stringify([space, subject, client, n, name, index]));
  let bits = (BigInt(Date.parse(time)) * 1000n & (1n << 53n) - 1n) << 75n | BigInt(index & 2047) << 64n | mark, text = '';
  for (; text.length < 26; bits >>= 5n) text = '0123456789abcdefghjkmnpqrstvwxyz'[Number(bits & 31n)] + text;
  return text;
}

// ---- A feature over its replica

/** The guard of an action that is false. */
export class Rejection extends Error {
  constructor(problem) { super(problem.detail); Object.assign(this, { status: problem.status, problem }); }
}

/** An object without members of its prototype: labels can be any names. */
const bare = (members) => ({ __proto__: null, ...members });

/** What waiting actions change: rows by table, with undefined for one that is gone, and variables. */
const layer = () => ({ rows: bare(), values: bare() });

/** The names that a parsed formula uses, and its calls as `name()`. */
function namesIn(part, found = new Set()) {
  if (!Array.isArray(part)) return found;
  if (part[0] === 'name') found.add(part[1]);
  if (part[0] === 'call') found.add(`${part[1]}()`);
  part.forEach((one) => namesIn(one, found));
  return found;
}

/** Compiles the document for clients. */
function feature(content) {
  const formulas = new Map(), names = new Map(), readRows = new WeakMap(), types = content.types ?? {};
  const formula = (source) => formulas.get(source) ?? formulas.set(source, cel(source)).get(source);
  /** The names that a formula uses, also in the definitions that it calls. */
  const used = (source) => {
    if (names.has(source)) return names.get(source);
    const found = namesIn(parse(source));
    names.set(source, found);
    for (const name of [...found]) {
      const { is } = content.define?.[name.replace('()', '')] ?? {};
      if (is) for (const one of used(is)) found.add(one);
    }
    return found;
  };
  const define = Object.fromEntries(Object.entries(content.define ?? {}).filter(([, one]) => one.is).map(([name, { of = {}, is }]) => {
    const parameters = Object.keys(of);
    return [name, (values, env) => {
      const given = Object.fromEntries(parameters.map((one, place) => [one, values[place]]));
      return formula(is)({ ...env.outer, names: { __proto__: env.outer.names, ...given }, outer: env.outer, root: env.root });
    }];
  }));

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

  /** The environment of a formula that reads the given names only. */
  const alone = (names) => {
    const env = { names: bare(names), define, root: { steps: 0 } };
    return Object.assign(env, { outer: env });
  };
  const partsOf = (index) => ({ by: [index.by ?? []].flat(), sort: [index.sort ?? []].flat(), where: index.where });

  /** Returns the group of a row in an index; undefined if it does not count. */
  const groupOf = (label, { by, where }) => {
    const [reads, counts] = [by.map(formula), where && formula(where)];
    return (key, row) => {
    const env = alone({ key, row: rowOf(label, row) });
    try {
      return !counts || counts(env) ? reads.map((one) => groupText(one(env))).join() : undefined;
    } catch (error) { if (error instanceof Unpredictable || !(error instanceof Failure)) throw error; return undefined; }
    };
  };

  function indexOf(base, label, name) {
    const table = base.tables[label] ??= new Table(), parts = partsOf(content.state[label].indexes[name]);
    const order = sorter(parts.sort, (key) => ({ key, row: rowOf(label, table.rows.get(key)) }));
    return table.indexes[name] ??= new Index(table, groupOf(label, parts), order);
  }

  /** The order of rows by formulas, with - before falling ones, then by key. */
  function sorter(sort, namesOf, earlier) {
    const keys = sort.map((one) => one.startsWith('-') ? [formula(one.slice(1)), -1] : [formula(one), 1]), known = new Map();
    const valuesOf = (key) => {
      const found = known.get(key) ?? earlier?.(key);
      if (found) return found;
      const env = alone(namesOf(key));
      const values = keys.map(([read]) => read(env));
      known.set(key, values);
      return values;
    };
    // Null comes first, as on the server.
    const weigh = (a, b) => a === null || b === null ? (a === null ? 0 : 1) - (b === null ? 0 : 1) : compare(a, b);
    const ordered = (a, b) => {
      for (let place = 0; place < keys.length; place++) {
        const order = weigh(a[place], b[place]) * keys[place][1];
        if (order) return order;
      }
      return 0;
    };
    return {
      valuesOf, ordered, forget: (key) => known.delete(key),
      compare(one, other) {
        if (!keys.length) return compareTexts(one, other);
        return ordered(valuesOf(one), valuesOf(other)) || compareTexts(one, other);
      },
      place: (key, bound) => weigh(valuesOf(key)[0], bound) * keys[0][1],
    };
  }

  /** What an action or a view reads and writes: the confirmed rows under those of waiting actions and its own. */
  class Draft {
    constructor({ base, over, unknown = {} }, { token = { sub: '' }, space = 'main', now = new Date().toISOString(), newId } = {}, isAction) {
      Object.assign(this, { base, over, unknown, isAction, mine: layer(), root: { steps: 0 } });
      const labels = Object.keys(content.state);
      this.names = { __proto__: null, input: new Map(), space, token: fromJSON(token), now: readInstant(now), state: new Rows(() => labels, (label) => this.state(label), (label) => labels.includes(label)) };
      this.env = { define, root: this.root, newId, index: (name, values) => this.index(name, values), names: this.names };
      this.env.outer = this.env;
    }
    scope(names) { return { ...this.env, names: { __proto__: this.names, ...names }, outer: this.env }; }
    /** Throws if an action that waits may write a row, or any row of a table, or a variable. */
    check(label, key) {
      const some = this.isAction && this.unknown[label];
      if (some && (some === true || key === undefined || some.has(key))) beyond(label);
    }
    change(label) {
      const [one, other] = [this.over.rows[label], this.mine.rows[label]];
      return one && other ? new Map([...one, ...other]) : one ?? other;
    }
    row(label, key) {
      for (const { rows } of [this.mine, this.over]) if (rows[label]?.has(key)) return rows[label].get(key);
      return this.base.tables[label]?.rows.get(key);
    }
    /** Returns a row that an action reads; of a table that is held in part only one that is there. */
    read(label, key) {
      this.check(label, key);
      const row = this.row(label, key);
      if (row === undefined && this.isAction && content.state[label].partial && !this.mine.rows[label]?.has(key) && !this.over.rows[label]?.has(key)) beyond(label);
      return row;
    }
    /** The keys of a table, in any order. */
    *all(label) {
      const change = this.change(label) ?? new Map();
      for (const key of this.base.tables[label]?.rows.keys() ?? []) if (!change.has(key)) yield key;
      for (const [key, row] of change) if (row !== undefined) yield key;
    }
    keys(label) {
      this.check(label);
      const change = this.change(label), keys = this.base.tables[label]?.keys.items ?? [];
      if (!change?.size) return keys;
      const there = [...change.keys()].filter((key) => change.get(key) !== undefined);
      return [...keys.filter((key) => !change.has(key)), ...there].sort(compareTexts);
    }
    count(label) {
      this.check(label);
      const rows = this.base.tables[label]?.rows;
      let size = rows?.size ?? 0;
      for (const [key, row] of this.change(label) ?? []) size += (row !== undefined) - (rows?.has(key) ?? false);
      return size;
    }
    state(label) {
      const part = content.state[label];
      if (!part.table) {
        this.check(label);
        return fromJSON([this.mine, this.over, this.base].find(({ values }) => label in values)?.values[label], part.value, types);
      }
      return new Rows(() => this.keys(label), (key) => rowOf(label, this.read(label, key)), (key) => typeof key === 'string' && this.read(label, key) !== undefined, () => this.count(label));
    }
    index(name, values) {
      const label = Object.keys(content.state).find((one) => content.state[one].indexes?.[name]) ?? fail();
      this.check(label);
      const index = indexOf(this.base, label, name), wanted = values.map(groupText).join(), change = this.change(label) ?? new Map();
      const group = index.groups.get(wanted), isThere = (key) => change.has(key) ? change.get(key) !== undefined && index.groupOf(key, change.get(key)) === wanted : group?.keys.has(key) ?? false;
      const added = [...change.keys()].filter(isThere), gone = [...change.keys()].filter((key) => group?.keys.has(key)).length;
      const size = (group?.keys.size ?? 0) + added.length - gone;
      if (!size && this.isAction && content.state[label].partial) beyond(label);
      const { sort } = partsOf(content.state[label].indexes[name]);
      const order = change.size ? sorter(sort, (key) => ({ key, row: rowOf(label, change.get(key)) }), (key) => change.has(key) ? undefined : index.order.valuesOf(key)) : index.order;
      const keys = () => {
        const kept = (group?.sorted.items ?? []).filter((key) => !change.has(key));
        for (const key of added) kept.splice(placeIn(kept, (one) => order.compare(one, key)), 0, key);
        return kept;
      };
      return new Rows(keys, (key) => rowOf(label, this.row(label, key)), isThere, () => size, order);
    }
    write(label, key, row) { (this.mine.rows[label] ??= new Map()).set(key, row); }
    /** Moves what was written to what is shown. */
    keep() {
      Object.assign(this.over.values, this.mine.values);
      for (const label in this.mine.rows) this.over.rows[label] = this.change(label);
    }
  }

  function steps(draft, all, names) {
    for (const step of all) {
      const read = (source, more) => formula(source)(draft.scope({ ...names, ...more }));
      const key = (source) => { const value = read(source); return typeof value === 'string' ? value : fail(); };
      if ((draft.root.steps += 2) > 100000) fail();
      if ('set' in step) {
        draft.mine.values[step.set] = checked(toJSON(read(step.to)), content.state[step.set].value, types);
      } else if ('put' in step) {
        const { table } = content.state[step.put];
        draft.write(step.put, checked(key(step.key), table.key, types), checked(toJSON(read(step.row)), table.row, types));
      } else if ('update' in step) {
        const name = key(step.key), old = draft.read(step.update, name), { table } = content.state[step.update];
        if (old === undefined) throw new Rejection({ status: 409, type: '/problems/conflict', detail: `${content.feature}.${step.update} has no row of this key` });
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
    for (const label in draft.mine.rows) {
      for (const [name, index] of Object.entries(content.state[label].indexes ?? {})) {
        if (!index.unique) continue;
        const confirmed = indexOf(draft.base, label, name), change = draft.change(label), groups = new Map();
        for (const [key, row] of change) {
          const group = row === undefined ? undefined : confirmed.groupOf(key, row);
          if (group === undefined) continue;
          const other = groups.get(group) ?? [...confirmed.groups.get(group)?.keys ?? []].find((one) => !change.has(one));
          if (other !== undefined) throw new Rejection({ status: 409, type: '/problems/not-unique', detail: 'not unique', index: name, key });
          groups.set(group, key);
        }
      }
    }
  }

  const labelOf = (step) => step.set ?? step.put ?? step.update ?? step.remove ?? step.clear;

  /** What an action may write: [table or variable, key], without a key for any row. */
  function writesOf(name, input) {
    const action = content.actions[name], found = [];
    const note = (label, source) => {
      let key;
      if (source && [...used(source)].every((one) => one === 'input')) {
        try { key = formula(source)({ names: { input: fromJSON(input, action.input, types) } }); } catch { /* Any row. */ }
      }
      found.push([label, typeof key === 'string' ? key : undefined]);
    };
    const walk = (all, isOuter) => all.forEach((step) => {
      const label = labelOf(step);
      if (label !== undefined) note(label, isOuter ? step.key : undefined);
      walk([...step.do ?? [], ...step.else ?? []], isOuter && !('each' in step));
      if (step.call) walk(content.define[step.call].do, false);
    });
    if (action?.do) walk(action.do, true); else if (action?.writes) action.writes.forEach((one) => note(one.state, one.key)); else Object.keys(content.state).forEach((label) => note(label));
    return found;
  }

  return {
    content, writesOf,
    /** Performs an action on what is shown, {base, over}, and returns its answer. Throws a Rejection, or Unpredictable. */
    perform(shown, name, input, context) {
      const action = content.actions[name];
      if (!action?.do || action.predict === false) beyond(name);
      const draft = new Draft(shown, context, true), schema = action.input ?? { type: 'object', properties: {} };
      // An input that does not satisfy the schema is refused by the server, in its words.
      draft.names.input = fromJSON(checked(input, schema, types), schema, types);
      const names = {}, env = () => draft.scope(names);
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
      const answer = action.answer ? toJSON(formula(action.answer)(env())) : undefined;
      draft.keep();
      return { ...draft.mine, answer };
    },
    /** Returns a local view: `update` takes what is shown and the keys that have changed (none for all), and returns its value. */
    view(name, parameters = {}) {
      const part = content.views[name], { from } = part, schema = { type: 'object', properties: part.parameters ?? {} };
      const input = fromJSON(checked(parameters, schema, types), schema, types), fold = ['count', 'sum', 'min', 'max', 'average'].find((one) => one in part);
      const sort = [part.sort ?? []].flat(), bare = sort.map((one) => one.replace(/^-/, '')), ofRow = [part.where, part.select, part.by, fold !== 'count' && part[fold]];
      const reads = new Set([part.expression, ...ofRow, ...bare].flatMap((one) => one ? [...used(one)] : [])), isByRow = from && !['state', 'index', 'now', 'views'].some((one) => reads.has(one));
      const [where, select, group, amount] = ofRow.map((one) => one && formula(one)), weights = bare.map(formula), entries = new Map(), order = sorter(sort);
      const sorted = new Sorted(() => entries.values(), (a, b) => order.ordered(a.weights, b.weights) || compareTexts(a.key, b.key));
      let value, read, draft;
      /** Begins to read rows: one environment has the names of one row after another. */
      const begin = (shown, context) => {
        draft = new Draft(shown, context);
        draft.names.input = input;
        const env = draft.scope({});
        read = (key, row) => { draft.root.steps = 0; Object.assign(env.names, { key, row: rowOf(from, row) }); return env; };
      };
      const entryOf = (key) => {
        const row = draft.row(from, key), env = row === undefined ? undefined : read(key, row);
        if (!env || where && !bool(where(env))) return undefined;
        return { key, row, weights: weights.map((one) => one(env)), group: group && textOf(group(env)), value: amount && amount(env) };
      };
      /** What is shown of an entry. Those beyond the limit are never made. */
      const make = (one) => one.made ??= select ? toJSON(select(read(one.key, one.row))) : { key: one.key, row: one.row };
      const take = (key) => {
        const next = entryOf(key), old = entries.get(key);
        if (next?.row === old?.row) return false;
        if (next && old?.made && inside.same(make(next), old.made)) next.made = old.made;
        if (old) { sorted.remove(old); entries.delete(key); }
        if (next) { entries.set(key, next); sorted.add(next); }
        return true;
      };
      /** Returns the value: the one before if it is equal. */
      const finish = () => {
        const next = part.expression ? toJSON(formula(part.expression)(draft.scope({}))) : fold ? folded(fold, part, [...entries.values()]) : sorted.items.slice(0, part.limit).map(make);
        const isSame = isByRow && !fold ? next.length === value?.length && next.every((one, place) => one === value[place]) : inside.same(next, value);
        return isSame ? value : value = next;
      };
      const whole = () => {
        entries.clear();
        sorted.list = undefined;
        for (const key of draft.all(from)) take(key);
        return finish();
      };
      return {
        /** Yields between some rows while the view is made for the first time. */
        *build(shown, context) {
          begin(shown, context);
          if (!isByRow) return whole();
          let row = 0;
          for (const key of draft.all(from)) { take(key); if (++row % 50 === 0) yield; }
          return finish();
        },
        update(shown, changed, context) {
          begin(shown, context);
          if (!isByRow) return whole();
          let isOther = false;
          for (const key of changed[from] ?? []) isOther = take(key) || isOther;
          return isOther ? finish() : value;
        },
      };
    },
    isLocal: (name) => name in content.views,
    isPredicted: (name) => !!content.actions[name]?.do && content.actions[name].predict !== false,
  };

  function folded(fold, part, entries) {
    const one = (some) => {
      if (fold === 'count') return some.length;
      const values = some.map((entry) => entry.value);
      if (fold === 'sum') return toJSON(values.reduce((sum, value) => operate('+', sum, value), 0n));
      if (!values.length) return null;
      if (fold === 'average') return Number(values.reduce((sum, value) => operate('+', sum, value), 0n)) / values.length;
      return toJSON(values.reduce((best, value) => (compare(value, best) < 0) === (fold === 'min') ? value : best));
    };
    if (!part.by) return one(entries);
    const grouped = {};
    for (const entry of entries) (grouped[entry.group] ??= []).push(entry);
    return Object.fromEntries(Object.entries(grouped).map(([name, some]) => [name, one(some)]));
  }
}

// ---- Replicas: the confirmed rows of a feature in a space, in memory and on disk

/** The number of blocks on disk, and the number of rows that are read or made without a pause. */
const [blockCount, slice] = [256, 8];
const blockOf = (key) => [...key].reduce((hash, letter) => hash * 31 + letter.codePointAt() | 0, 7) & blockCount - 1;
/** Waits until the page has had its turn, if it has had none for some milliseconds. */
let turnBegan = 0;
const breathe = async () => {
  if (Date.now() - turnBegan < slice) return;
  await turn();
  turnBegan = Date.now();
};
const turn = () => globalThis.scheduler?.yield?.() ?? inside.pause();

/** The rows of a block by table, read again if they are as they were written. A key may be any text. */
const rowsIn = (block = {}) => typeof block !== 'string' ? block : Object.fromEntries(Object.entries(JSON.parse(block)).map(([label, rows]) => [label, bare(rows)]));

class Replica {
  constructor() { Object.assign(this, { tables: bare(), values: bare(), blocks: [], dirty: new Set(), changed: bare(), isNew: true }); }
  /** Takes the whole of a part of a snapshot. `tables` are the names of tables. */
  take(part, tables) {
    for (const [label, value] of Object.entries(part)) {
      if (!tables.has(label)) { this.values[label] = value; continue; }
      this.tables[label] ??= new Table();
      for (const key in value) { this.tables[label].rows.set(key, value[key]); this.place(label, key, value[key]); }
    }
  }
  /** Puts a row to its block on disk. */
  place(label, key, row) {
    const block = blockOf(key), rows = (this.blocks[block] = rowsIn(this.blocks[block]))[label] ??= bare();
    if (row === undefined) delete rows[key]; else rows[key] = row;
    this.dirty.add(block);
  }
  write(label, key, row) {
    (this.tables[label] ??= new Table()).write(key, row);
    (this.changed[label] ??= new Set()).add(key);
    this.place(label, key, row);
  }
  apply(rows, tables) {
    for (const [label, change] of Object.entries(rows)) {
      if (!tables.has(label)) { this.values[label] = change; this.changed[label] ??= new Set(); continue; }
      for (const [key, row] of Object.entries(change)) this.write(label, key, row ?? undefined);
    }
  }
  /** Returns a block as it is written. */
  text(block) {
    const parts = this.blocks[block];
    return typeof parts === 'string' ? parts : this.blocks[block] = JSON.stringify(parts);
  }
  /** Reads a block as it was written. */
  load(block, text) {
    this.blocks[block] = text;
    for (const [label, rows] of Object.entries(JSON.parse(text))) {
      const table = this.tables[label] ??= new Table();
      for (const key in rows) table.rows.set(key, rows[key]);
    }
  }
}

const isReplica = (name) => name.endsWith('!replica');
/** The tables of the replica of each feature that this page follows, and the snapshots that have come in part. */
const tables = {}, snapshots = {};
const tablesOf = (name) => tables[name.slice(name.indexOf('/') + 1)] ?? new Set();

settings.opened = () => { for (const name in snapshots) delete snapshots[name]; mirrors.forEach((one) => one.renew()); };

/** Reads an event of a stream, and takes its rows into the replicas. */
settings.read = (source, held) => {
  const { _rows, _more, ...event } = (settings.parse ?? JSON.parse)(source);
  for (const name of event._reset ?? []) mirrors.forEach((one) => one.reset(name));
  for (const name in _rows) {
    const { replica } = held[name]?.value ?? {};
    if (!replica) continue;
    replica.apply(_rows[name], tablesOf(name));
    event[name] = { replica };
  }
  for (const name of Object.keys(event).filter((one) => isReplica(one) && !event[one].replica)) {
    const replica = snapshots[name] ??= new Replica();
    replica.take(event[name], tablesOf(name));
    delete event[name];
    if (_more?.includes(name)) continue;
    event[name] = { replica };
    delete snapshots[name];
  }
  return event;
};

settings.share = ({ value, ...rest }) => value?.replica && { ...rest, value: { texts: value.replica.blocks.map((_, block) => value.replica.text(block)), values: value.replica.values } };
settings.shared = (name, { value, ...rest }) => {
  if (!isReplica(name) || !value) return undefined;
  const replica = new Replica();
  Object.assign(replica.values, value.values);
  value.texts.forEach((text, block) => { replica.load(block, text); replica.dirty.add(block); });
  return { ...rest, value: { replica } };
};

settings.recall = (values, [subject, name]) => isReplica(name) ? (async () => {
  const range = IDBKeyRange.bound([subject, name, 0], [subject, name, blockCount]);
  const [known, keys, texts] = await Promise.all([values.get([subject, name]), values.getAllKeys(range), values.getAll(range)].map(inside.once));
  if (!known) return undefined;
  const replica = Object.assign(new Replica(), { values: bare(known.values), isNew: false });
  for (const [place, [,, block]] of keys.entries()) {
    replica.load(block, texts[place]);
    await breathe();
  }
  return { tag: known.tag, n: known.n, value: { replica } };
})() : undefined;

/** Writes the texts of changed blocks, with pauses, before the transaction. */
settings.saving = async (all) => {
  for (const { replica } of all.map((one) => one?.value ?? {})) {
    for (const block of [...replica?.dirty ?? []]) {
      replica.text(block);
      await breathe();
    }
  }
};

/** Writes a replica, and returns true; the transaction says whether it is kept. */
settings.save = (values, [subject, name], { value, tag, n }) => {
  if (!isReplica(name)) return undefined;
  const { replica } = value ?? {};
  if (replica?.isNew ?? true) values.delete(IDBKeyRange.bound([subject, name], [subject, name, blockCount]));
  if (replica) {
    for (const block of replica.dirty) values.put(replica.text(block), [subject, name, block]);
    values.put({ tag, n, values: replica.values }, [subject, name]);
    replica.dirty.clear();
    replica.isNew = false;
  }
  return true;
};

// ---- The mirror of a feature in a space

/** The mirrors of this page, by space and feature. */
const mirrors = new Map();
settings.moved = () => mirrors.forEach((one) => one.moved());
settings.answered = (id, answer) => mirrors.forEach((one) => one.answered(id, answer));
settings.retimed = async (entry, before) => {
  const one = mirrors.get(`${entry.space}/${entry.name.split('/')[0]}`), pairs = before ? one?.idsOf(entry, before) ?? [] : [];
  for (const later of pairs.length ? await inside.queue.all() : []) {
    if (later.space !== entry.space || later.n <= entry.n) continue;
    const text = pairs.reduce((all, [from, to]) => all.replaceAll(from, to), JSON.stringify(later.input));
    await inside.queue.put({ ...later, input: JSON.parse(text) });
  }
};

const facts = (work) => inside.canShare() ? inside.stored((_, __, all) => inside.once(work(all))).catch(() => {}) : undefined;

/** Asks for the document for clients and the claims of the caller, and keeps them. */
async function load(name, known) {
  const headers = inside.authorized(await inside.ask()), ask = (path, more) => fetch(inside.base + path, { headers: { ...headers, ...more } });
  const { subject } = inside, [reply, me] = await Promise.all([ask(`features/${name}/client`, known && { 'If-None-Match': known.tag }), ask('me')]);
  for (const { ok, status } of [reply, me]) if (!ok && status !== 304) throw Object.assign(Error(), { status });
  const found = { content: reply.status === 304 ? known.content : await reply.json(), tag: reply.headers.get('ETag'), me: await me.json() };
  // Nothing is written for a person who has signed out meanwhile.
  if (subject === inside.subject) await facts((all) => all.put(found, [subject, 'feature', name]));
  return found;
}

/** Returns the mirror of a feature in a space: its views, and its actions, performed here at once. */
export function mirror(name, { space = 'main' } = {}) {
  const place = `${space}/${name}`, replica = mirrors.get(place)?.replica ?? watch(`${name}!replica`, { space });
  if (mirrors.has(place)) return mirrors.get(place).surface;
  const views = {};
  let own, known, engine, client, last = 0, isVerified = false, isRenewing, isDue, isStarting, isClosed;
  /** What is shown: the confirmed replica under the changes of the actions that wait, and what these may have written beside. */
  let shown, waiting = [];

  const context = (one) => ({
    token: known.me.claims, space, now: one?.time,
    newId: () => knownID({ ...one, space, client, subject: known.me.sub, name: `${name}/${one.name}` }, one.ids++),
  });

  function adopt(found) {
    const isOther = !inside.same([found.content, found.me], [known?.content, known?.me]);
    known = found;
    isVerified = true;
    if (!isOther) return;
    engine = feature(found.content);
    const { state } = found.content;
    const labels = tables[`${name}!replica`] = new Set(Object.keys(state).filter((label) => state[label].table));
    const { replica: base } = replica.get() ?? {};
    for (const label in base?.tables) base.tables[label].indexes = {};
    for (const label of labels) if (base && label in base.values) { base.take({ [label]: base.values[label] }, labels); delete base.values[label]; }
    shown = undefined;
    Object.values(views).forEach((one) => one.forget());
  }

  /** Begins with the document on disk, else with that of the server, for which it asks until there is an answer. */
  async function start() {
    if (isStarting) return;
    isStarting = true;
    for (let tries = 0; !isClosed; tries++) {
      try {
        if (await begin()) break;
      } catch (error) {
        if (error.status < 500 && ![401, 408, 425, 429].includes(error.status)) {
          [isStarting, engine] = [false, null];
          // The server says by each view why.
          Object.values(views).forEach((one) => one.show());
          throw error;
        }
        await inside.pause(inside.delay(tries));
      }
    }
    isStarting = false;
  }

  /** Returns false if the subject has changed meanwhile. */
  async function begin() {
    await inside.ask();
    const current = own = inside.session, kept = await facts((all) => all.get([inside.subject, 'feature', name])), found = kept ?? await load(name);
    const ends = [await inside.queue.client(), await inside.queue.last(space)];
    if (current !== inside.session) return false;
    [client, last] = ends;
    adopt(found);
    isVerified = !kept;
    if (!stop) stop = [replica.subscribe(moved), status.subscribe(moved)];
    update();
    if (kept) renew();
    return true;
  }

  /** Looks again whether the document and the claims are the same. */
  async function renew() {
    isVerified = false;
    if (!engine || isRenewing) return;
    isRenewing = true;
    // After a failure the next stream asks again.
    await load(name, known).then(adopt).catch(() => {});
    isRenewing = false;
    update();
  }

  /** Performs an action on what is shown. Returns what it wrote, or the failure, of which it notes what it may write. */
  function apply(one) {
    const outcome = attempt(one);
    settings.observed?.(one, outcome, known.content.hash);
    return outcome;
  }

  function attempt(one) {
    one.ids = 0;
    try { return engine.perform(shown, one.name, one.input, context(one)); } catch (error) {
      if (error instanceof Rejection) return error;
      for (const [label, key] of engine.writesOf(one.name, one.input)) {
        shown.unknown[label] = key === undefined || shown.unknown[label] === true || (shown.unknown[label] ?? new Set()).add(key);
      }
      return error;
    }
  }

  /** Brings the actions that wait in line with the queue. */
  function settle() {
    const { entries, queue, versions, held } = inside.session, { isStale, n: kept, tag } = held[`${place}!replica`] ?? {};
    // A replica from disk has the actions up to its own number.
    const [over, at] = isStale ? [kept, tag] : [queue[space], versions[space]], isMine = (one) => one.space === space && one.name.startsWith(`${name}/`);
    for (const entry of entries) if (entry.space === space) last = Math.max(last, entry.n ?? 0);
    const there = new Map(entries.filter(isMine).map((entry) => [entry.id, entry]));
    for (const { id, n, time, input, state, name: full } of there.values()) {
      let one = waiting.find((other) => other.id === id);
      if (!one) waiting.push(one = { id, name: full.slice(name.length + 1) });
      Object.assign(one, { n, time: time ?? one.time, input, state, isKnown: true });
    }
    waiting = waiting.filter((one) => {
      if (one.isGone || one.state === 'refused' || over >= one.n) return false;
      if (one.answer) return !(parseInt(at) >= one.answer.version);
      return there.has(one.id) || !one.isKnown;
    }).sort((a, b) => a.n - b.n);
  }

  const note = (changed, { rows, values }) => {
    for (const label in rows) for (const key of rows[label].keys()) (changed[label] ??= new Set()).add(key);
    for (const label in values) changed[label] ??= new Set();
  };
  const moved = () => { if (!isDue) { isDue = true; queueMicrotask(update); } };

  /** Performs the actions that wait again, and tells the views what has changed. */
  function update() {
    isDue = false;
    if (own !== inside.session) {
      [own, shown, waiting, engine, known] = [inside.session, undefined, []];
      Object.values(views).forEach((one) => one.forget());
      start().catch(() => {});
    }
    if (!engine) return;
    const { replica: base } = inside.session.held[`${place}!replica`]?.value ?? {};
    settle();
    if (!base) {
      shown = undefined;
      Object.values(views).forEach((one) => one.show());
      return;
    }
    const isOther = base !== shown?.base, changed = base.changed;
    base.changed = bare();
    if (!isOther) note(changed, shown.over);
    shown = { base, over: layer(), unknown: bare() };
    waiting.forEach(apply);
    note(changed, shown.over);
    Object.values(views).forEach((one) => { if (isOther) one.forget(); one.show(changed); });
  }

  function local(view, parameters) {
    const calls = new Set();
    let value, remote, live, missed, problem;
    const one = {
      get: () => value,
      get status() { return replica.status; },
      forget() { remote?.(); [live, missed, remote, problem] = []; },
      /** Computes the view, from the changed keys if they are known. */
      show(changed) {
        if (!calls.size || remote) return;
        if (!engine) return engine === null && ask();
        if (!engine.isLocal(view)) return ask();
        if (!shown) return replica.status === 'gone' && (tell(), ask());
        try {
          if (!live) build(); else if (missed) merge(changed); else tell(live.update(shown, changed, context()));
        } catch { ask(); }
      },
      subscribe(call, failure) {
        const pair = { call, failure };
        calls.add(pair);
        if (value !== undefined) call(value);
        if (problem) failure?.(problem);
        one.show({});
        return () => { calls.delete(pair); if (!calls.size) one.forget(); };
      },
    };
    /** The view comes from the server. */
    const ask = () => { remote = watch(`${name}.${view}`, { space, parameters }).subscribe(tell, (found) => { problem = found; for (const { failure } of calls) failure?.(found); }); };
    const merge = (changed) => { for (const label in changed) for (const key of [label, ...changed[label]]) (missed[label] ??= new Set()).add(key); };
    /** Makes the view for the first time, in slices. */
    function build() {
      const made = live = engine.view(view, parameters), making = made.build(shown, context());
      missed = {};
      const step = async () => {
        for (let end = Date.now() + slice; live === made;) {
          const { done, value: next } = making.next();
          if (done) {
            const late = missed;
            missed = undefined;
            return tell(Object.keys(late).length ? made.update(shown, late, context()) : next);
          }
          if (Date.now() > end) { await turn(); end = Date.now() + slice; }
        }
      };
      step().catch(ask);
    }
    function tell(next) {
      if (next === value) return;
      value = next;
      for (const { call } of calls) call(value);
    }
    return one;
  }

  let stop;
  const surface = {
    replica,
    /** Fulfilled once the mirror performs actions itself. */
    get ready() { return ready; },
    /** The store of a view: computed here if it is local, else from the server. */
    view: (view, parameters = {}) => views[`${view}?${JSON.stringify(parameters)}`] ??= local(view, parameters),
    /** Performs an action: at once over the replica, then on the server. A guard that is false is a Rejection, and nothing is sent. */
    act(action, input = {}, options = {}) {
      const time = inside.timeNow(), one = { name: action, input, time, n: Math.max(last, ...waiting.map(({ n }) => n ?? 0)) + 1 };
      let wrote;
      if (shown && engine) {
        wrote = apply(one);
        if (wrote instanceof Rejection && isVerified && replica.status === 'live') return Object.assign(wrote = Promise.reject(wrote), { shown: wrote, id: null });
      }
      const done = send(`${name}/${action}`, input, { ...options, space, made: engine && { time, document: known.content.hash } });
      one.id = done.id;
      waiting.push(one);
      done.catch(() => { one.isGone = true; moved(); });
      if (wrote?.rows) {
        const changed = bare();
        note(changed, wrote);
        Object.values(views).forEach((view) => view.show(changed));
      }
      return done;
    },
    close() { isClosed = true; stop?.forEach((end) => end()); mirrors.delete(place); },
  };
  mirrors.set(place, {
    surface, replica, moved, renew,
    answered: (id, answer) => { for (const one of waiting) if (one.id === id) { one.answer = answer; one.isGone = !answer; moved(); } },
    /** In a new life of the space, what was answered in the old one is over. */
    reset: (name) => { if (name === space) waiting = waiting.filter((one) => !one.answer); },
    idsOf: (entry, before) => {
      const one = waiting.find(({ id }) => id === entry.id), of = { space, client, subject: known?.me.sub, name: entry.name, n: entry.n };
      return Array.from({ length: one?.ids ?? 0 }, (_, index) => [knownID({ ...of, time: before }, index), knownID({ ...of, time: entry.time }, index)]);
    },
  });
  const ready = start();
  ready.catch(() => { if (!engine) mirrors.delete(place); });
  return surface;
}

/** The parts of the engine, for tests. */
export const internals = { Decimal, decimalText, isMap, readPeriod, typeOf };
