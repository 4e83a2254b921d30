// A browser for tests of /client.js and /mirror.js in node: a database, locks, channels, timers in virtual time, and a
// network whose faults follow from a seed. A page is a context of its own, so that a test can end it at any moment.

import http from 'node:http';
import { readFileSync } from 'node:fs';
import { createContext, runInContext, SourceTextModule } from 'node:vm';
import { webcrypto } from 'node:crypto';

/** Random numbers that follow from a seed. */
export class Random {
  constructor(seed) { this.state = BigInt(seed) + 0x9e3779b97f4a7c15n; }
  next() {
    this.state = this.state + 0x9e3779b97f4a7c15n & 0xffffffffffffffffn;
    let mixed = this.state;
    mixed = (mixed ^ mixed >> 30n) * 0xbf58476d1ce4e5b9n & 0xffffffffffffffffn;
    mixed = (mixed ^ mixed >> 27n) * 0x94d049bb133111ebn & 0xffffffffffffffffn;
    return Number((mixed ^ mixed >> 31n) >> 11n) / 2 ** 53;
  }
  below(limit) { return Math.floor(this.next() * limit); }
  one(list) { return list[this.below(list.length)]; }
  /** True in one of so many cases. */
  isOne(count) { return this.below(count) === 0; }
}

/** The real milliseconds after which a server that works on a request counts as stuck. */
const longestWork = 300e3;

/** Returns the queue of an action, its number, and the number up to which its client has all answers. */
function placeIn(path, field) {
  if (!field) return {};
  const [client, n, after] = field.split(';');
  return { queue: `${path.split('/')[3]} ${client}`, n: Number(n), after: Number(after) };
}

/** Virtual time: timers run when the test advances it. */
export class Clock {
  constructor(now = Date.now()) { Object.assign(this, { now, timers: new Map(), last: 0 }); }
  set(owner, call, delay = 0, ...values) {
    this.timers.set(++this.last, { owner, call, values, due: this.now + Math.max(0, Number(delay) || 0), id: this.last });
    return this.last;
  }
  clear(id) { this.timers.delete(id); }
  drop(owner) { for (const [id, timer] of this.timers) if (timer.owner === owner) this.timers.delete(id); }
  /** Runs the next timer up to a time. Returns false if there is none. */
  step(until) {
    let next;
    for (const timer of this.timers.values()) if (timer.due <= until && (!next || timer.due < next.due || timer.due === next.due && timer.id < next.id)) next = timer;
    if (!next) { this.now = Math.max(this.now, until); return false; }
    this.now = Math.max(this.now, next.due);
    this.timers.delete(next.id);
    next.call(...next.values);
    return true;
  }
}

const rank = (key) => typeof key === 'number' ? 0 : typeof key === 'string' ? 1 : 2;
/** The order of the keys of the database. */
function compareKeys(a, b) {
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  if (!Array.isArray(a)) return a < b ? -1 : a > b ? 1 : 0;
  for (let place = 0; place < a.length && place < b.length; place++) {
    const order = compareKeys(a[place], b[place]);
    if (order) return order;
  }
  return a.length - b.length;
}

export class KeyRange {
  constructor(low, high) { Object.assign(this, { low, high }); }
  static bound(low, high) { return new KeyRange(low, high); }
  has(key) { return compareKeys(key, this.low) >= 0 && compareKeys(key, this.high) <= 0; }
}

/** Returns a copy of JSON; of other values as browsers make it. */
function clone(value) {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(clone);
  if (Object.getPrototypeOf(value) && `${value}` !== '[object Object]') return structuredClone(value);
  const copy = {};
  for (const key of Object.keys(value)) if (key === '__proto__') return structuredClone(value); else copy[key] = clone(value[key]);
  return copy;
}

/** The databases of a browser. They live as long as the browser, whatever happens to its pages. */
export class Databases {
  constructor() { Object.assign(this, { all: new Map(), fault: undefined, commits: 0 }); }

  /** The interface for one page. `isAlive` says whether the page is still there: its transactions end with it. */
  factory(isAlive) {
    const owner = this;
    return {
      open(name) {
        const request = {};
        queueMicrotask(() => {
          if (owner.fault === 'blocked') { request.error = Error('blocked'); return request.onerror?.(); }
          let stores = owner.all.get(name);
          const isNew = !stores;
          if (isNew) owner.all.set(name, stores = { tables: new Map(), queue: [], isBusy: false });
          request.result = new Database(owner, stores, isAlive);
          if (isNew) request.onupgradeneeded?.();
          request.onsuccess?.();
        });
        return request;
      },
    };
  }
}

class Database {
  constructor(owner, stores, isAlive) { Object.assign(this, { owner, stores, isAlive }); }
  createObjectStore(name, { keyPath, autoIncrement } = {}) { this.stores.tables.set(name, { keyPath, autoIncrement, next: 1, rows: new Map() }); }
  transaction() { return new Transaction(this.owner, this.stores, this.isAlive); }
}

/** A transaction: one after another, and all or nothing. */
class Transaction {
  constructor(owner, stores, isAlive) {
    Object.assign(this, { owner, stores, isAlive, requests: [], changes: [], isEnded: false, isOpen: false });
    stores.queue.push(this);
    queueMicrotask(() => this.advance());
  }
  advance() {
    const { stores } = this;
    while (stores.queue[0] && !stores.queue[0].isAlive()) { stores.queue.shift(); stores.isBusy = false; }
    if (stores.isBusy || !stores.queue.length) return;
    stores.isBusy = true;
    stores.queue[0].run();
  }
  run() {
    this.isOpen = true;
    const next = () => {
      if (!this.isAlive()) return this.end();
      const request = this.requests.shift();
      if (!request) {
        // Code that waits for the last request has a few turns to make another.
        this.turns = (this.turns ?? 0) + 1;
        if (this.turns < 12) return queueMicrotask(next);
        return this.commit();
      }
      this.turns = 0;
      try { request.result = request.work(); } catch (error) { request.error = error; request.onerror?.(); return this.abort(error); }
      request.onsuccess?.();
      queueMicrotask(next);
    };
    queueMicrotask(next);
  }
  commit() {
    if (this.owner.fault === 'full' && this.changes.some((change) => change.isWrite)) return this.abort(Error('QuotaExceededError'));
    for (const { apply } of this.changes) apply();
    this.owner.commits += 1;
    this.end();
    this.oncomplete?.();
  }
  abort(error) { this.error = error; this.end(); this.onabort?.(); }
  end() {
    this.isEnded = true;
    this.stores.isBusy = false;
    this.stores.queue.shift();
    this.stores.queue[0]?.advance();
  }
  objectStore(name) {
    const table = this.stores.tables.get(name), staged = (this.staged ??= new Map());
    if (!staged.has(name)) staged.set(name, new Map());
    const own = staged.get(name), text = (key) => JSON.stringify(key);
    const read = (key) => own.has(text(key)) ? own.get(text(key)) : table.rows.get(text(key));
    const all = (range) => [...new Map([...table.rows, ...own]).values()].filter((row) => row.value !== undefined && (!range || range.has(row.key))).sort((a, b) => compareKeys(a.key, b.key));
    const ask = (work) => { const request = { work }; this.requests.push(request); return request; };
    const write = (key, value) => {
      const row = { key: clone(key), value: clone(value) };
      own.set(text(key), row);
      this.changes.push({ isWrite: value !== undefined, apply: () => { if (value === undefined) table.rows.delete(text(key)); else table.rows.set(text(key), row); } });
      return key;
    };
    const put = (value, key) => {
      const content = clone(value);
      if (table.keyPath) {
        content[table.keyPath] ??= table.next++;
        if (value && typeof value === 'object') value[table.keyPath] = value[table.keyPath] ?? undefined;
        return write(content[table.keyPath], content);
      }
      return write(key, content);
    };
    return {
      get: (key) => ask(() => clone(read(key)?.value)),
      getAll: (range) => ask(() => all(range).map((row) => clone(row.value))),
      getAllKeys: (range) => ask(() => all(range).map((row) => clone(row.key))),
      put: (value, key) => ask(() => put(value, key)),
      add: (value, key) => ask(() => put(value, key)),
      delete: (key) => ask(() => { for (const row of key instanceof KeyRange ? all(key) : [{ key }]) write(row.key, undefined); }),
    };
  }
}

/** The locks and the channels of a browser. */
class Tabs {
  constructor() { Object.assign(this, { locks: new Map(), channels: new Set() }); }

  lockManager(page) {
    const { locks } = this;
    const grant = (name) => {
      const lock = locks.get(name);
      while (lock && !lock.holder && lock.queue.length) {
        const next = lock.queue.shift();
        if (!next.page.isAlive) continue;
        lock.holder = next;
        Promise.resolve(next.call({ name })).then(next.done, next.fail).finally(() => { if (lock.holder === next) { lock.holder = undefined; grant(name); } });
      }
    };
    page.onEnd(() => { for (const [name, lock] of locks) { if (lock.holder?.page === page) lock.holder = undefined; lock.queue = lock.queue.filter((one) => one.page !== page); grant(name); } });
    return {
      request: (name, options, call = options) => new Promise((done, fail) => {
        if (!locks.has(name)) locks.set(name, { holder: undefined, queue: [] });
        const lock = locks.get(name), next = { page, call, done, fail };
        if (options.steal && lock.holder) { lock.holder.fail(Error('stolen')); lock.holder = undefined; lock.queue.unshift(next); } else lock.queue.push(next);
        queueMicrotask(() => grant(name));
      }),
      query: async () => ({ held: [...locks].filter(([, lock]) => lock.holder).map(([name]) => ({ name })) }),
    };
  }

  channelClass(page) {
    const { channels } = this;
    return class {
      constructor(name) { Object.assign(this, { name, page }); channels.add(this); page.onEnd(() => channels.delete(this)); }
      postMessage(data) {
        const text = clone(data);
        for (const other of channels) if (other !== this && other.name === this.name) queueMicrotask(() => { if (channels.has(other)) other.onmessage?.({ data: clone(text) }); });
      }
      close() { channels.delete(this); }
    };
  }
}

/** A browser: what its pages share. */
export class Browser {
  constructor() { Object.assign(this, { databases: new Databases(), tabs: new Tabs() }); }
}

/** The network between a page and the server: `faults()` names what happens to the next request. */
export class Network {
  constructor(clock, address, faults = () => ({})) { Object.assign(this, { clock, address, faults, isOnline: true, moved: 0, open: new Set(), streams: new Set(), answered: new Map(), unanswered: [] }); }

  fetch(page, url, { method = 'GET', headers = {}, body, signal } = {}) {
    const path = new URL(url).pathname + new URL(url).search, fault = this.faults({ method, path, body, headers });
    return new Promise((done, fail) => {
      let isOver = false;
      const lose = () => { if (!isOver) { isOver = true; fail(new TypeError('the network has failed')); } };
      page.onEnd(() => { isOver = true; });
      signal?.addEventListener('abort', lose);
      if (!this.isOnline || fault.isLostBefore) return void this.clock.set(page, lose, 5);
      const send = () => {
        if (isOver) return;
        if (fault.isTwice) this.ask(method, path, headers, body, () => {}, () => {});
        this.ask(method, path, headers, body, (reply) => {
          const give = () => {
            if (isOver || !page.isAlive) return reply.destroy();
            if (fault.isLostAfter || !this.isOnline) { reply.destroy(); return lose(); }
            isOver = true;
            done(this.response(page, reply, signal, fault));
          };
          if (fault.delayAfter) this.clock.set(page, give, fault.delayAfter); else give();
        }, lose);
      };
      if (fault.delay) this.clock.set(page, send, fault.delay); else send();
    });
  }

  ask(method, path, headers, body, done, fail) {
    const own = { path, since: Date.now(), ...placeIn(path, headers['Headwater-Queue']) };
    this.open.add(own);
    const end = () => { this.open.delete(own); this.moved = Date.now(); };
    const { hostname, port } = new URL(this.address());
    const request = http.request({ hostname, port, method, path, headers: { ...headers, Connection: 'close', ...(body && { 'Content-Length': Buffer.byteLength(body) }) } }, (reply) => {
      end();
      // Other answers, for instance that a clock is wrong, may leave the number unused: then the server waits for it again.
      if (own.queue && [200, 409, 410].includes(reply.statusCode)) this.answeredOf(own).add(own.n);
      done(reply);
    });
    request.on('error', () => { end(); fail(); });
    request.end(body);
  }

  answeredOf({ queue }) { return this.answered.get(queue) ?? this.answered.set(queue, new Set()).get(queue); }

  /** True if the server has what it needs to go on: it holds an action back until it has those before it. */
  isOwed({ queue, n, after }) {
    if (!queue) return true;
    const known = new Set([...this.answeredOf({ queue }), ...[...this.open].filter((one) => one.queue === queue).map((one) => one.n)]);
    for (let before = after + 1; before < n; before++) if (!known.has(before)) return false;
    return true;
  }
  /** True while the server owes this network an answer, or a new stream its first values. */
  get isOwing() {
    for (const one of this.open) {
      if (Date.now() - one.since < longestWork) continue;
      this.unanswered.push(one.path);
      this.open.delete(one);
    }
    return [...this.open].some((one) => this.isOwed(one));
  }

  response(page, reply, signal, fault) {
    const { statusCode: status, headers } = reply, chunks = [], waits = [];
    let isEnded = false, count = 0, head = '';
    const first = { path: 'the first values of a stream', since: Date.now() };
    const give = (one) => { this.moved = Date.now(); if (waits.length) waits.shift()(one); else chunks.push(one); };
    const end = (error) => { if (isEnded) return; isEnded = true; reply.destroy(); this.streams.delete(end); this.open.delete(first); give({ error, isLast: true }); };
    if (`${headers['content-type']}`.startsWith('text/event-stream')) { this.streams.add(end); this.open.add(first); page.onEnd(() => end()); }
    signal?.addEventListener('abort', () => end(Error('aborted')));
    reply.on('data', (bytes) => {
      if (isEnded) return;
      count += 1;
      // The event with the name of the stream, and the event after it, which always comes.
      if (this.open.has(first) && (head += bytes).split('\n\n').length > 2) this.open.delete(first);
      if (fault.cutAfter && count >= fault.cutAfter) {
        give({ bytes: new Uint8Array(bytes.subarray(0, bytes.length >> 1)) });
        return end(Error('cut'));
      }
      give({ bytes: new Uint8Array(bytes) });
    });
    reply.on('end', () => end());
    reply.on('error', () => end(Error('broken')));
    reply.on('close', () => end());
    // The server has ended while the network delayed its answer.
    if (reply.destroyed) end(Error('broken'));
    const read = async () => {
      const part = chunks.length ? chunks.shift() : await new Promise((wake) => waits.push(wake));
      if (part.error) throw part.error;
      return part.isLast ? { done: true } : { done: false, value: part.bytes };
    };
    const text = async () => {
      const parts = [];
      for (let part; !(part = await read()).done;) parts.push(part.value);
      return Buffer.concat(parts).toString();
    };
    return {
      status, ok: status >= 200 && status < 300, statusText: '', text, json: async () => JSON.parse(await text()),
      headers: { get: (name) => headers[name.toLowerCase()] ?? null }, body: { getReader: () => ({ read }) },
    };
  }

  /** Cuts all streams. */
  cut() { for (const end of [...this.streams]) end(Error('cut')); }
}

const sources = new Map();
const sourceOf = (name) => sources.get(name) ?? sources.set(name, readFileSync(new URL(`../../Sources/CAssets/Client/${name}`, import.meta.url), 'utf8')).get(name);

/** A page of a browser that uses the two scripts. */
export class Page {
  constructor(browser, network, clock, { token, skew = 0, hasStorage = true } = {}) {
    Object.assign(this, { browser, network, clock, token, skew, isAlive: true, isHidden: false, ends: [], listeners: [], complaints: [] });
    const page = this;
    class PageDate extends Date {
      constructor(...values) { if (values.length) super(...values); else super(clock.now + page.skew); }
      static now() { return Math.floor(clock.now + page.skew); }
    }
    const guarded = (call) => (...values) => { if (page.isAlive) call(...values); };
    this.context = createContext({
      URL, URLSearchParams, TextEncoder, TextDecoder, btoa, atob, structuredClone, console, crypto: webcrypto, queueMicrotask, Uint8Array,
      AbortController, AbortSignal: {}, Date: PageDate, IDBKeyRange: KeyRange,
      setTimeout: (call, delay) => clock.set(page, guarded(call), delay), clearTimeout: (id) => clock.clear(id),
      addEventListener: (kind, call) => page.listeners.push([kind, call]),
      document: { get hidden() { return page.isHidden; }, addEventListener: (kind, call) => page.listeners.push([kind, call]) },
      fetch: (url, init) => page.isAlive ? network.fetch(page, url, init) : new Promise(() => {}),
      ...(hasStorage && {
        indexedDB: browser.databases.factory(() => page.isAlive), BroadcastChannel: browser.tabs.channelClass(page),
        navigator: { get onLine() { return network.isOnline; }, locks: browser.tabs.lockManager(page) },
      }),
      ...(!hasStorage && { navigator: {} }),
    });
    // Methods of browsers of today that node 18 lacks, and errors without the cost of their stacks.
    runInContext(`
      Error.stackTraceLimit = 0;
      Array.prototype.with ??= function replaced(index, value) { const copy = [...this]; copy[index] = value; return copy; };
      Array.prototype.toSpliced ??= function spliced(...values) { const copy = [...this]; copy.splice(...values); return copy; };
    `, this.context);
  }

  onEnd(call) { this.ends.push(call); }

  async load() {
    const modules = new Map(), link = async (specifier) => {
      const name = specifier.replace('./', '');
      if (!modules.has(name)) modules.set(name, new SourceTextModule(sourceOf(name), { context: this.context, identifier: name, initializeImportMeta: (meta) => { meta.url = `http://server/${name}`; } }));
      return modules.get(name);
    };
    const root = await link('./mirror.js');
    await root.link(link);
    await root.evaluate();
    this.mirror = root.namespace;
    this.client = modules.get('client.js').namespace;
    if (this.token) this.client.settings.token = () => this.token;
    return this;
  }

  /** Tells the page an event of its window or document. */
  tell(kind, event = {}) { for (const [name, call] of this.listeners) if (name === kind) call(event); }

  /** Ends the page at once, as a kill does: what it has not written is lost. */
  end() {
    this.isAlive = false;
    this.clock.drop(this);
    for (const call of this.ends) call();
  }
}

const turn = () => new Promise((wake) => setImmediate(wake));

/** Lets the pages run until the server owes no network anything and the networks are quiet, and then advances the time by so many
 * milliseconds. No time passes while the server works, however slow the machine is. */
export async function settle(clock, networks, milliseconds = 0, quiet = 3) {
  const until = clock.now + milliseconds;
  for (;;) {
    await turn();
    const now = Date.now();
    if (networks.some((network) => now - network.moved < quiet || network.isOwing)) { await new Promise((wake) => setTimeout(wake, 1)); continue; }
    if (!clock.step(until)) return;
  }
}
