// Headwater's client for browsers, described in client.d.ts and docs/clients.md.

export const settings = {};

const base = new URL('v1/', import.meta.url).href;
const me = Math.random().toString(36).slice(2);
/** The limits: views, actions under way, milliseconds of silence. */
const [viewsLimit, windowLimit, silence] = [1000, 4, 40e3];
const spaceOf = (name) => name.slice(0, name.indexOf('/'));
const pause = (milliseconds) => new Promise((wake) => setTimeout(wake, milliseconds));
/** The milliseconds before another try. */
const delay = (tries) => 300 * 2 ** Math.min(tries, 4) * (0.5 + Math.random());
const random = (bytes) => btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(bytes))))
  .replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '');

// ---- JSON

function same(a, b) {
  if (a === b) return true;
  if (Object(a) !== a || Object(b) !== b || Array.isArray(a) !== Array.isArray(b)) return false;
  return Object.keys({ ...a, ...b }).every((key) => same(a[key], b[key]));
}

const unfit = () => { throw Error('unfit patch'); };

const read = (node, steps) => steps.reduce((part, step) => Object(part) === part && Object.hasOwn(part, step)
  && !(Array.isArray(part) && `${step >>> 0}` !== step) ? part[step] : unfit(), node);

/** Returns the node with an edit at a path of steps. */
function edit(node, [step, ...rest], how, value) {
  if (step === undefined) return how === 'remove' ? unfit() : value;
  if (Array.isArray(node)) {
    const isAdded = how === 'add' && !rest.length, index = isAdded && step === '-' ? node.length : step >>> 0;
    if (`${index}` !== (isAdded && step === '-' ? `${index}` : step) || index >= node.length + isAdded) unfit();
    if (rest.length) return node.with(index, edit(node[index], rest, how, value));
    return how === 'replace' ? node.with(index, value) : how === 'add' ? node.toSpliced(index, 0, value) : node.toSpliced(index, 1);
  }
  if (Object(node) !== node || (rest.length || how !== 'add') && !Object.hasOwn(node, step)) unfit();
  if (rest.length) return { ...node, [step]: edit(node[step], rest, how, value) };
  const copy = { ...node, [step]: value };
  if (how === 'remove') delete copy[step];
  return copy;
}

const stepsOf = (path) => {
  if (typeof path !== 'string' || path && path[0] !== '/') unfit();
  return path.split('/').slice(1).map((step) => step.replace(/~1/g, '/').replace(/~0/g, '~'));
};

export const patch = (document, operations) => operations.reduce((node, { op, path, from, value }) => {
  const steps = stepsOf(path);
  switch (op) {
    case 'add': case 'replace': return value === undefined ? unfit() : edit(node, steps, op, value);
    case 'remove': return edit(node, steps, op);
    case 'copy': return edit(node, steps, 'add', read(node, stepsOf(from)));
    case 'move': {
      const part = read(node, stepsOf(from));
      return path === from ? node : edit(edit(node, stepsOf(from), 'remove'), steps, 'add', part);
    }
    case 'test': return same(read(node, steps), value) ? node : unfit();
    default: return unfit();
  }
}, document);

/** A reader of an event stream in pieces. */
export function eventParser(take) {
  let rest = '', isFirst = true, isAfterReturn, name = '', data = [];
  return (text) => {
    if (isFirst && text) [text, isFirst] = [text.replace(/^\uFEFF/, ''), false];
    if (isAfterReturn && text) [text, isAfterReturn] = [text.replace(/^\n/, ''), false];
    rest += text;
    for (let end; (end = /\r\n?|\n/.exec(rest));) {
      const line = rest.slice(0, end.index);
      rest = rest.slice(end.index + end[0].length);
      isAfterReturn = end[0] === '\r' && !rest;
      const [, field, value] = /^([^:]*):? ?([^]*)$/.exec(line);
      if (line === '') {
        if (data.length) take(name || 'message', data.join('\n'));
        [name, data] = ['', []];
      } else if (field === 'data') data.push(value); else if (field === 'event') name = value;
    }
  };
}

// ---- The subject

/** The subject of the token in use; the one that has signed out. */
let subject, gone;

/** Returns the token, and begins anew if the subject has changed. */
async function ask(expected) {
  let { token } = settings, name = 0;
  const before = session;
  if (token?.call) token = token();
  if (token?.then) token = await token;
  try {
    name = `${JSON.parse(atob(token.split('.')[1].replace(/-/g, '+').replace(/_/g, '/'))).sub.concat('@')}`;
  } catch {
    for (const letter of token || '') name = (name * 257 + letter.charCodeAt()) % 1e13;
  }
  if (session === before && name !== subject && name !== gone) begin(name);
  if (name !== subject || name !== (expected ?? name)) throw Error('another subject');
  return token;
}

const authorized = (token, headers = {}) => ({
  'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }), ...headers });

// ---- The session of a subject

const fresh = () => ({
  held: {},      // name → {value, tag, isStale} or {problem}
  versions: {}, queue: {}, mine: new Map(), tabs: {}, entries: [], landed: new Set(),
  state: 'connecting', since: Date.now(),
});
let session = fresh(), views = {}, known = {}, here = {}, memory, databases;

function begin(next, last) {
  leave();
  [subject, gone] = [next, last];
  for (const one of session.mine.values()) one.settle(undefined, abandoned());
  session = fresh();
  session.name = next;
  memory = undefined;
  for (const one of Object.values(views)) one.show();
  notify();
  if (isUsed()) plan();
}

/** True after the database has failed: values and actions are kept in the tab from then on. */
let isBroken = false;
const canShare = () => settings.persist !== false && !isBroken && navigator.locks && globalThis.indexedDB && globalThis.BroadcastChannel;

const once = (request) => new Promise((done, fail) => {
  request.onsuccess = () => done(request.result);
  request.onerror = () => fail(request.error);
});

/** Works on the database. If storage is full or blocked, the tab goes on without; what waits there is sent by a later page. */
async function stored(work) {
  try { return await transact(work); } catch (error) {
    if (isBroken) throw error;
    isBroken = true;
    notify();
    pump();
    throw error;
  }
}

async function transact(work) {
  databases ??= (() => {
    const opening = indexedDB.open(`headwater ${base}`, 1);
    opening.onupgradeneeded = () => {
      opening.result.createObjectStore('actions', { keyPath: 'order', autoIncrement: true });
      opening.result.createObjectStore('values');
      opening.result.createObjectStore('facts');
    };
    return once(opening);
  })();
  const change = (await databases).transaction(['actions', 'values', 'facts'], 'readwrite');
  const ended = new Promise((done, fail) => { change.oncomplete = done; change.onabort = () => fail(change.error); });
  const result = await work(...['actions', 'values', 'facts'].map((name) => change.objectStore(name)));
  await ended;
  return result;
}

/** The actions of the subject. */
const queue = {
  own: () => memory ??= { entries: [], numbers: {}, client: random(16) },
  async client(name = subject) {
    return this.kept(async (actions, values, facts) => {
      const known = await once(facts.get([name, 'client']));
      const client = known ?? random(16);
      if (!known) await once(facts.put(client, [name, 'client']));
      return client;
    }, ({ client }) => client);
  },
  /** Works on the database, or on the memory of this tab. */
  async kept(work, instead) {
    try { if (canShare()) return await stored(work); } catch { /* Storage is full or blocked. */ }
    return instead(this.own());
  },
  /** Adds an action. Its number follows that of the last one in its space. */
  add(entry) {
    const place = [entry.subject, 'number', entry.space];
    return this.kept(async (actions, values, facts) => {
      entry.n = (await once(facts.get(place)) ?? 0) + 1;
      await once(facts.put(entry.n, place));
      await once(actions.add(entry));
    }, ({ entries, numbers }) => {
      entry.n = numbers[entry.space] = (numbers[entry.space] ?? 0) + 1;
      entries.push(entry);
    });
  },
  async all(name = subject) {
    return (await this.kept((actions) => once(actions.getAll()), ({ entries }) => entries)).filter((entry) => entry.subject === name);
  },
  put(entry) { return this.kept((actions) => once(actions.put(entry)), () => {}); },
  remove(entry) {
    return this.kept((actions) => once(actions.delete(entry.order)), ({ entries }) => {
      entries.splice(0, entries.length, ...entries.filter((one) => one.id !== entry.id));
    });
  },
  /** The number of the last action in a space. */
  last(space, name = subject) {
    return this.kept(async (actions, values, facts) => await once(facts.get([name, 'number', space])) ?? 0, ({ numbers }) => numbers[space] ?? 0);
  },
};

const erase = (name) => stored(async (actions, values, facts) => {
  for (const entry of await once(actions.getAll())) if (entry.subject === name) await once(actions.delete(entry.order));
  for (const table of [values, facts]) {
    for (const key of await once(table.getAllKeys())) if (key[0] === name) await once(table.delete(key));
  }
});

// ---- Tabs: one leads, and has the stream

let channel, resign, timer, opened, stream, isPumping, isPumpWanted, saving, wakeUp = () => {};

const used = () => Object.values(views).filter((one) => one.calls.size);
const isUsed = () => used().length || Object.keys(here).length;
const ofTab = () => ({ kind: 'views', tab: me, names: used().map((one) => one.name), here });
const say = (news) => { channel?.postMessage(news); hear(news); };
const plan = (wait) => { clearTimeout(timer); timer = setTimeout(join, wait === 500 ? 500 : 20); };

async function join() {
  try { await ask(); } catch { if (isUsed()) plan(500); return; }
  const own = session;
  await (opened ??= open(own));
  if (own === session) say(ofTab());
}

async function open(own) {
  const name = `${base} ${subject}`;
  if (!globalThis.BroadcastChannel || !navigator.locks) return lead(() => {});
  // The name of a tab is held while it lives, and before others hear of it.
  const lock = own.lock = new Promise((held) => navigator.locks.request(`${name} ${me}`,
    () => held() || own.lock === lock && new Promise((end) => { own.end = end; })));
  await lock;
  if (own !== session || lock !== own.lock) return;
  channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }) => own === session && hear(data);
  const wait = (options = {}) => navigator.locks.request(name, options, () => own === session && new Promise((end) => lead(end)))
    .catch(() => { if (own === session) { follow(); wait(); } });
  own.take = () => wait({ steal: true });
  wait();
}

function lead(end) {
  const own = session;
  resign = () => { resign = undefined; stream?.abort(); end(); };
  say({ kind: 'leader' });
  run(own).catch(() => {});
  refresh().then(pump);
}

function follow() {
  resign = undefined;
  stream?.abort();
}

function leave() {
  channel?.postMessage({ ...ofTab(), names: [], here: {} });
  channel?.close();
  stream?.abort();
  resign?.();
  session?.end?.();
  if (session) session.lock = 0;
  clearTimeout(timer);
  [channel, resign, timer, opened] = [];
}

function hear({ kind, tab, to, ...news }) {
  const own = session;
  if (to && to !== me) return;
  switch (kind) {
    case 'leader':
      if (!resign && channel) channel.postMessage(ofTab());
      else own.tabs = { [me]: ofTab() };
      break;
    case 'views':
      if (resign && tab !== me && !own.tabs[tab]) {
        navigator.locks?.request(`${base} ${subject} ${tab}`, () => own === session && hear({ kind: 'views', tab, names: [], here: {} }));
      }
      own.tabs[tab] = news;
      if (!news.names.length && !Object.keys(news.here ?? {}).length) delete own.tabs[tab];
      if (!resign) break;
      if (tab !== me) {
        const held = Object.fromEntries(news.names.filter((name) => own.held[name]).map((name) => [name, settings.share?.(own.held[name]) ?? own.held[name]]));
        channel?.postMessage({ kind: 'held', to: tab, held, versions: own.versions, queue: own.queue });
        channel?.postMessage({ kind: 'state', to: tab, state: own.state, since: own.since });
      }
      recall(wanted()).then(() => { wakeUp(); stream?.sync(); });
      break;
    case 'held':
      Object.assign(own.versions, news.versions);
      Object.assign(own.queue, news.queue);
      for (const name in news.held) { own.held[name] = settings.shared?.(name, news.held[name]) ?? news.held[name]; views[name]?.show(); }
      settings.moved?.();
      settle();
      break;
    case 'event': take(news.data, news.name); break;
    case 'state': [own.state, own.since] = [news.state, news.since]; notify(); used().forEach((one) => one.show()); break;
    case 'queue': pump(); break;
    case 'sent': if (own.mine.get(news.id)) own.mine.get(news.id).n = news.n; break;
    case 'answer': answered(news); break;
    case 'orphan': refusals.forEach((call) => call(news.action, news.action.problem)); refresh(); break;
    case 'visible': if (resign && document.hidden) channel?.postMessage({ kind: 'take', to: tab }); break;
    case 'take': own.take?.(); break;
  }
}

globalThis.addEventListener?.('pagehide', () => leave());
globalThis.addEventListener?.('pageshow', ({ persisted }) => { if (persisted && isUsed()) plan(); });
globalThis.addEventListener?.('online', () => { fails = 0; wakeUp(); });
globalThis.addEventListener?.('offline', () => { if (resign) setState('offline'); });
globalThis.document?.addEventListener('visibilitychange', () => {
  if (!document.hidden && !resign) channel?.postMessage({ kind: 'visible', tab: me });
});

// ---- The stream

let fails = 0;

const asked = () => [...new Set(Object.values(session.tabs).flatMap(({ names }) => names))];
const wanted = () => asked().slice(0, viewsLimit);
const tooMany = { type: '/problems/too-many-views', title: 'Too many views', status: 422, detail: `The tabs of this browser watch more than ${viewsLimit} views.` };
const present = () => Object.assign({}, ...Object.values(session.tabs).map((tab) => tab.here));

function setState(state) {
  if (state !== session.state) say({ kind: 'state', state, since: Date.now() });
}

const doze = (milliseconds) => Promise.race([pause(milliseconds), new Promise((wake) => { wakeUp = wake; })]);

function backOff(reply) {
  const after = Number(reply?.headers?.get('Retry-After'));
  return after ? after * 1e3 : delay(fails++);
}

/** Keeps a stream open. */
async function run(own) {
  while (own === session && resign) {
    let reply;
    const names = wanted();
    if (!names.length && !Object.keys(present()).length) {
      await doze(60e3);
      continue;
    }
    try {
      await recall(names);
      reply = await follow1(own, names);
    } catch (error) {
      reply = error.reply;
    }
    if (own !== session || !resign) return;
    if (reply?.status === 401) setState('needs-auth');
    else if (!reply?.isSteered) setState(navigator.onLine === false || own.hasFailed ? 'offline' : 'connecting');
    own.hasFailed ||= !reply?.isSteered;
    if (!reply?.isSteered) await doze(backOff(reply));
  }
}

async function follow1(own, names) {
  const token = await ask(), abort = new AbortController(), watching = new Set(names);
  if (own !== session) return;
  let id, seq = 0, said = {}, changing = Promise.resolve(), watchdog, hasSync;
  const awake = () => { clearTimeout(watchdog); watchdog = setTimeout(() => abort.abort(), silence); };
  const mine = stream = {
    abort: () => abort.abort(),
    sync() {
      if (hasSync) return;
      hasSync = setTimeout(() => { hasSync = 0; changing = changing.then(change).catch(() => abort.abort()); }, 20);
    },
  };
  async function change() {
    const now = wanted(), watch = {}, unwatch = [...watching].filter((name) => !now.includes(name));
    for (const name of now) if (!watching.has(name)) watch[name] = own.held[name]?.tag ?? null;
    if (own !== session) return;
    if (unwatch.length || Object.keys(watch).length) {
      if (!id) return;
      if (!await steer({ watch, unwatch })) throw Error('opens anew');
      for (const name of unwatch) { watching.delete(name); delete own.held[name]; }
      for (const name in watch) watching.add(name);
    }
    // A view beyond the limit has its value once another one is not watched any more.
    const beyond = asked().slice(viewsLimit).filter((name) => !own.held[name]?.problem);
    if (beyond.length) say({ kind: 'event', name: 'message', data: JSON.stringify({ _gone: Object.fromEntries(beyond.map((name) => [name, tooMany])) }) });
    const rows = present();
    for (const name in { ...said, ...rows }) {
      if (!id || same(said[name], rows[name])) continue;
      said[name] = rows[name];
      await steer({ presence: { [name]: rows[name] ?? null } });
    }
  }
  /** Changes the stream. Returns false if that is refused. */
  async function steer(news) {
    const body = JSON.stringify({ seq: seq + 1, ...news });
    const reply = await fetch(`${base}live/${id}`, { method: 'POST', headers: authorized(await ask()), body, signal: abort.signal });
    if (reply.ok) seq++; else if (reply.status !== 403 && reply.status !== 422) throw Error('opens anew');
    return reply.ok;
  }
  try {
    awake();
    const watch = Object.fromEntries(names.map((name) => [name, own.held[name]?.tag ?? null]));
    const client = await queue.client();
    const accept = { Accept: 'text/event-stream' };
    const body = JSON.stringify({ watch, client, progress: true, delta: 'json-patch' });
    const reply = await fetch(`${base}live`, { method: 'POST', headers: authorized(token, accept), body, signal: abort.signal });
    if (!reply.ok) throw Object.assign(Error('no stream'), { reply });
    [fails, own.hasFailed] = [0, false];
    const parse = eventParser((name, data) => {
      if (own !== session) return;
      // The event after the first one says what has changed meanwhile.
      if (name !== 'stream') setState('live');
      say({ kind: 'event', name, data });
      if (name !== 'stream') return;
      id = JSON.parse(data).stream;
      mine.sync();
    });
    const bytes = reply.body.getReader(), decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    for (let part; !(part = await bytes.read()).done;) {
      awake();
      parse(decoder.decode(part.value, { stream: true }));
    }
    return { isSteered: true };
  } finally {
    clearTimeout(watchdog);
    clearTimeout(hasSync);
    abort.abort();
    if (stream === mine) stream = undefined;
  }
}

function take(text, kind) {
  const own = session;
  if (kind === 'stream') return settings.opened?.();
  const { _patches, _tags, _versions, _queue, _reset, _gone, ...values } = (settings.read ?? settings.parse ?? JSON.parse)(text, own.held);
  if (kind !== 'message') return;
  const changed = new Set();
  const isMine = (name) => resign || views[name]?.calls.size || own.held[name];
  Object.assign(own.versions, _versions);
  Object.assign(own.queue, _queue);
  for (const space of _reset ?? []) for (const one of own.mine.values()) if (one.space === space) one.isReset = true;
  const put = (name, value) => {
    if (!isMine(name)) return;
    own.held[name] = { value: same(own.held[name]?.value, value) ? own.held[name].value : value, tag: _tags?.[name] };
    changed.add(name);
  };
  for (const name in values) put(name, values[name]);
  for (const name in _patches) if (own.held[name]) put(name, patch(own.held[name].value, _patches[name]));
  for (const name in _gone) if (isMine(name)) { own.held[name] = { problem: _gone[name] }; changed.add(name); }
  settle();
  for (const name in own.held) if (own.held[name].isStale && own.state === 'live') { own.held[name].isStale = false; changed.add(name); }
  changed.forEach((name) => views[name]?.show());
  if (resign) save(changed);
  settings.moved?.();
}

const keyOf = (name) => JSON.stringify(name.split(/[?&]/).map(decodeURIComponent).sort());

async function recall(names) {
  const own = session, missing = names.filter((name) => !own.held[name]);
  if (!missing.length || !canShare()) return;
  try {
    const found = await stored((actions, values) => Promise.all(missing.map((name) => settings.recall?.(values, [subject, name]) ?? once(values.get([subject, name])))));
    if (own !== session) return;
    missing.forEach((name, index) => {
      if (!found[index] || own.held[name]) return;
      own.held[name] = { ...found[index], isStale: true };
      own.queue[spaceOf(name)] ??= found[index].n;
      views[name]?.show();
      settings.moved?.();
    });
  } catch { /* No database, no last values. */ }
}

function save(names) {
  if (!canShare()) return;
  const own = session, name = subject;
  own.unsaved = new Set([...own.unsaved ?? [], ...names]);
  saving ??= setTimeout(async () => {
    saving = undefined;
    const unsaved = own.unsaved;
    own.unsaved = new Set();
    await settings.saving?.([...unsaved].map((one) => own.held[one]));
    if (own !== session) return;
    await stored((actions, values) => Promise.all([...unsaved].map((one) => {
      const { value, tag } = own.held[one] ?? {}, n = own.queue[spaceOf(one)];
      return settings.save?.(values, [name, one], { value, tag, n }) ?? once(value === undefined ? values.delete([name, one]) : values.put({ value, tag, n }, [name, one]));
    }))).catch(() => {});
  }, 300);
}

export function view(name, { space = 'main', parameters } = {}) {
  name = `${space}/${name}?${new URLSearchParams(parameters)}`.replace(/\+/g, '%20').replace(/\?$/, '');
  const key = keyOf(name);
  if (known[key]) return known[key];
  const calls = new Set();
  let value, problem, status = 'loading';
  return known[key] = views[name] = {
    name, calls,
    get: () => value,
    get status() { return status; },
    /** Tells the listeners a new value, with what actions promise. */
    show() {
      const held = session.held[name];
      let next = held?.value;
      for (const one of session.mine.values()) next = one.promise(name, next);
      status = !held ? 'loading' : held.problem ? 'gone' : held.isStale || session.state !== 'live' ? 'stale' : 'live';
      const isRefused = held?.problem && !same(held.problem, problem);
      problem = held?.problem;
      if (isRefused) for (const { fail } of calls) if (fail) queueMicrotask(() => fail(problem));
      if (same(next, value)) return;
      value = next;
      for (const { tell } of calls) queueMicrotask(() => tell(value));
    },
    subscribe(tell, fail) {
      const call = { tell, fail };
      gone = undefined;
      ask().then(() => { plan(); if (calls.size === 1) recall([name]); }, plan);
      calls.add(call);
      if (value !== undefined) tell(value);
      if (problem && fail) fail(problem);
      return () => { if (calls.delete(call)) plan(); };
    },
  };
}

/** Keeps a row of presence while the page lives. */
export function presence(table, { space = 'main', as, with: row } = {}) {
  const name = `${space}/${table}`, kept = here[name] = { as, with: row };
  gone = undefined;
  ask().then(plan, plan);
  return () => { if (here[name] === kept) { delete here[name]; plan(); } };
}

// ---- Actions

const refusals = new Set(), statusCalls = new Set();

/** True if an action is shown, or never will be. */
const isOver = (one) => session.queue[one.space] >= one.n || one.answer && (one.isReset
  || parseInt(session.versions[one.space]) >= one.answer.version
  || !used().some(({ name }) => spaceOf(name) === one.space && session.held[name]?.value !== undefined) && !one.waits());

function settle() {
  for (const one of [...session.mine.values()]) if (one.answer && isOver(one)) one.settle(one.answer);
  for (const one of session.mine.values()) if (!one.isDropped && isOver(one)) { one.isDropped = true; showAll(one); }
}

const showAll = ({ space }) => used().forEach((one) => spaceOf(one.name) === space && one.show());

function refresh() {
  const own = session, lost = () => own === session
    ? [...own.mine].filter(([id, one]) => one.isKept && !one.answer && !own.entries.some((entry) => entry.id === id && entry.state !== 'refused')) : [];
  return queue.all().then((entries) => {
    if (own !== session) return;
    own.entries = entries;
    notify();
    settings.moved?.();
    // The tab that had the answer may be gone.
    if (lost().length) {
      pause(1e3).then(() => lost().forEach(([id]) => {
        const { problem } = own.entries.find((entry) => entry.id === id) ?? {};
        answered({ id, answer: { isUnknown: true }, problem, status: problem?.status });
      }));
    }
  }, () => {});
}

function notify() {
  const { state, since, entries } = session, refused = entries.filter((entry) => entry.state === 'refused').length;
  const next = { state, since, waiting: entries.length - refused, refused, ...(isBroken && { storage: 'failed' }) };
  if (same(next, status.value)) return;
  status.value = next;
  statusCalls.forEach((tell) => tell(next));
}

export const status = {
  value: { state: 'connecting', since: Date.now(), waiting: 0, refused: 0 },
  get: () => status.value,
  subscribe(tell) {
    const call = (news) => tell(news);
    statusCalls.add(call);
    tell(status.value);
    return () => statusCalls.delete(call);
  },
};

export const onRefused = (call) => {
  refusals.add(call);
  ask().then(plan, plan);
  return () => refusals.delete(call);
};

const shownEntry = ({ id, name, input, space, state, problem }) => ({ id, name, input, space, state, ...(problem && { problem }) });
export const pending = async () => { await ask(); return (await queue.all()).map(shownEntry); };

const changed = () => { say({ kind: 'queue' }); return refresh(); };

export async function discard(id) {
  await ask();
  const entry = (await queue.all()).find((one) => one.id === id);
  if (!entry || entry.state === 'sent') return false;
  await queue.remove(entry);
  session.mine.get(id)?.settle(undefined, abandoned(true));
  await changed();
  return true;
}

export async function retry(id) {
  await ask();
  const entry = (await queue.all()).find((one) => one.id === id && one.state === 'refused');
  if (!entry) return false;
  await queue.remove(entry);
  const { order, n, problem, ...again } = entry;
  await queue.add({ ...again, state: 'waiting', tab: me });
  await changed();
  return true;
}

export async function signOut({ discard: isDiscarding } = {}) {
  const name = subject ?? gone;
  if (status.value.waiting && !isDiscarding) throw Error('actions wait: signOut({discard: true}) discards them');
  begin(undefined, name);
  if (canShare() && name !== undefined) await erase(name).catch(() => {});
}

const written = (input, name) => settings.write?.(input, name) ?? JSON.stringify(input);

/** Sends a request until it is answered or not wanted: {answer}, {problem, status}, or undefined. */
async function post(path, body, headersOf, isWanted, name) {
  for (let tries = 0; isWanted(); tries++) {
    let token;
    try { token = await ask(name); } catch { if (name !== subject) return; await pause(500); continue; }
    let reply, content;
    try {
      const limit = globalThis.AbortSignal?.timeout?.(60e3);
      const whole = await fetch(base + path, { method: 'POST', body, headers: authorized(token, headersOf()), signal: limit });
      // An answer that is cut off is none.
      const text = await whole.text();
      reply = whole;
      try { content = (settings.parse ?? JSON.parse)(text, path); } catch { /* A proxy has answered. */ }
    } catch { /* The network has failed. */ }
    if (!isWanted()) return;
    if (reply?.ok && content) { fails = 0; return { answer: content }; }
    if (reply?.status === 410 && content?.type === '/problems/answered-before') return { answer: { isUnknown: true } };
    if (reply?.status === 401) {
      setState('needs-auth');
    } else if (reply && !reply.ok && ![425, 429, 502, 503, 504].includes(reply.status)) {
      return { problem: content ?? { status: reply.status, detail: reply.statusText }, status: reply.status, date: Date.parse(reply.headers.get('Date')) };
    }
    const after = Number(reply?.headers.get('Retry-After'));
    await (after ? pause(after * 1e3) : doze(delay(tries)));
  }
}

/** Sends the queue, each space in order. */
async function pump() {
  if (canShare() && !resign) return refresh();
  if (isPumping) { isPumpWanted = true; return; }
  [isPumping, isPumpWanted] = [true];
  const own = session, name = subject, flights = own.flights ??= new Map();
  try {
    const entries = await queue.all(name);
    if (own !== session) return;
    own.entries = entries;
    notify();
    await tellOrphans(entries);
    const client = await queue.client(name);
    for (const space of new Set(entries.map((entry) => entry.space))) {
      const ofSpace = entries.filter((entry) => entry.space === space);
      if (settings.onRefusal === 'stop' && ofSpace.some((entry) => entry.state === 'refused')) continue;
      const waiting = ofSpace.filter((entry) => entry.state !== 'refused');
      for (const entry of waiting.slice(0, windowLimit)) {
        if (flights.has(entry.id) || own.landed.has(entry.order)) continue;
        // After a discarded action the next one waits until those before it are answered.
        const under = [...flights.values()].filter((one) => one.space === space);
        if (under.length && !under.some((one) => one.n === entry.n - 1)) break;
        entry.state = 'sent';
        await queue.put(entry);
        if (own !== session) return;
        flights.set(entry.id, entry);
        say({ kind: 'sent', id: entry.id, n: entry.n });
        fly(entry, client, own, flights, name);
      }
    }
  } catch {
    pause(1e3).then(pump);
  } finally {
    isPumping = false;
    if (isPumpWanted) pump();
  }
}

/** The time of the server, after it has said that the clock is wrong. */
let offset = 0;
const timeNow = () => new Date(Date.now() + offset).toISOString();

async function fly(entry, client, own, flights, name) {
  const first = () => Math.min(entry.n, ...[...flights.values()].filter((one) => one.space === entry.space).map((one) => one.n)) - 1;
  const headersOf = () => ({
    ...entry.headers, 'Headwater-Queue': `${client};${entry.n};${first()}`, ...(entry.time && { 'Headwater-Time': entry.time }),
    ...(entry.document && { 'Headwater-Document': entry.document }),
  });
  const isWanted = () => own === session && (resign || !canShare());
  const result = await post(`spaces/${entry.space}/${entry.name}`, written(entry.input, entry.name), headersOf, isWanted, name);
  flights.delete(entry.id);
  if (result?.problem?.type === '/problems/clock' && own === session) {
    const before = entry.time;
    offset = result.date - Date.now() || 0;
    entry.time = timeNow();
    await queue.put(entry);
    await settings.retimed?.(entry, before);
    await refresh();
    return pump();
  }
  if (entry.order) own.landed.add(entry.order);
  if (!result || own !== session) return;
  if (result.problem) {
    [entry.state, entry.problem] = ['refused', result.problem];
    await queue.put(entry);
  } else {
    await queue.remove(entry);
  }
  say({ kind: 'answer', id: entry.id, tab: entry.tab, ...result });
  if (result.problem) await tellOrphans(await queue.all(name));
  pump();
}

async function tellOrphans(entries) {
  const refused = entries.filter((entry) => entry.state === 'refused' && !entry.isTold && entry.tab !== me);
  if (!refused.length || !canShare()) return;
  const { held } = await navigator.locks.query();
  for (const entry of refused) {
    if (held.some((lock) => lock.name.endsWith(` ${entry.tab}`))) continue;
    session.told ??= new Set();
    if (session.told.has(entry.id)) continue;
    session.told.add(entry.id);
    say({ kind: 'orphan', action: shownEntry(entry) });
  }
}

function answered({ id, answer, problem, status: code }) {
  const one = session.mine.get(id);
  session.entries = session.entries.filter((entry) => entry.id !== id);
  settings.answered?.(id, answer);
  notify();
  refresh();
  if (!one) return;
  if (problem) {
    queue.all().then((all) => all.filter((entry) => entry.id === id && settings.onRefusal !== 'stop').map((entry) => queue.remove(entry))).then(refresh);
    one.fail(Object.assign(Error(problem.detail), { status: code, problem }));
  } else {
    one.answer = { space: one.space, version: 0, changed: [], ...answer };
    one.done(one.answer);
    settle();
    if (!isOver(one)) one.wake();
  }
}

const abandoned = (isGone) => Error(isGone ? 'discarded' : 'another subject');

export function act(name, input = {}, { space = 'main', parallel, signal, timeout, optimistic, key, made } = {}) {
  const id = key ? `${key}` : random(12), own = session, headers = settings.headers?.[name];
  let end, refuse, shown, isAnswered;
  const result = new Promise((done, fail) => { [end, refuse] = [done, fail]; });
  const isShown = new Promise((done) => { shown = done; });
  const one = {
    space, n: Infinity,
    /** The value of a view as it will be. */
    promise(view, value) {
      const [viewName] = view.slice(space.length + 1).split('?');
      const change = spaceOf(view) === space && (optimistic?.[view.slice(space.length + 1)] ?? optimistic?.[viewName]);
      if (!change || one.isDropped || value === undefined) return value;
      try { return change(value, input); } catch { return value; }
    },
    waits: () => used().some(({ name: view }) => spaceOf(view) === space && !session.held[view]),
    done: (answer) => { isAnswered = true; end(answer); },
    fail(error) { one.settle(); refuse(error); },
    settle(answer, error) {
      session.mine.delete(id);
      one.isDropped = true;
      if (error && !isAnswered) refuse(error);
      showAll(one);
      shown(answer);
    },
    // Without progress the promise looks again.
    wake: () => { if (session.mine.has(id)) { settle(); pause(250).then(one.wake); } },
  };
  gone = undefined;
  fails = 0;
  const abort = () => discard(id).then((isGone) => { if (!isGone && !isAnswered) refuse(Error('no answer in time')); });
  if (timeout) pause(timeout).then(() => isAnswered || abort());
  signal?.addEventListener('abort', abort);
  const asked = ask(), { adding } = own;
  const start = async () => {
    await asked;
    const current = session;
    if (own === current || !own.name) await adding;
    if (current !== session) throw abandoned();
    if (signal?.aborted) throw abandoned(true);
    current.mine.set(id, one);
    showAll(one);
    if (parallel) {
      const sent = await post(`spaces/${space}/${name}`, written(input, name), () => ({ ...headers, 'Idempotency-Key': id }), () => current === session, subject);
      if (sent && current === session) answered({ id, ...sent });
      return;
    }
    // The answer comes through the channel.
    await (opened ?? join());
    if (current !== session) throw abandoned();
    await queue.add({ id, subject, space, name, input, headers, state: 'waiting', tab: me, ...made });
    one.isKept = true;
    await refresh();
    say({ kind: 'queue' });
  };
  const started = start().catch(one.fail);
  if (!parallel) own.adding = started;
  return Object.defineProperties(result, { id: { value: id }, shown: { get: () => result.then(() => isShown).then((answer) => answer ?? one.answer) } });
}

/** What /mirror.js needs of this client. */
export const inside = {
  queue, stored, once, same, timeNow, ask, authorized, base, pause, delay, get session() { return session; }, get subject() { return subject; }, canShare,
};
