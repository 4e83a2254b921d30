// Headwater's client: see client.d.ts.

export const settings = {};

// JSON Patch: an edit copies the nodes on its path; the whole is item 0.
const unfit = () => { throw Error('unfit patch'); };
const isList = Array.isArray;
const isNode = (value) => Object(value) === value;
const same = (a, b) => a === b || ([a, b].every(isNode) && isList(a) == isList(b)
  && Object.keys({ ...a, ...b }).every((key) => same(a[key], b[key])));
const get = (node, step, isNew = 0) => ((isList(node)
  ? `${step >>> 0}` == step && step < node.length + isNew
  : isNode(node) && (isNew || Object.hasOwn(node, step))) ? node[step] : unfit());
const steps = (path) => `0${path}`.split('/')
  .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

function edit(node, [step, ...rest], op, value) {
  if (rest.length) [op, value] = ['replace', edit(get(node, step), rest, op, value)];
  const isNew = op == 'add', isCut = op == 'remove';
  if (isNew && isList(node) && step == '-') step = node.length;
  get(node, step, isNew);
  if (isList(node)) return node.toSpliced(step, !isNew, ...(isCut ? [] : [value]));
  const { [step]: _, ...left } = node;
  return isCut ? left : { ...node, [step]: value };
}

export const patch = (whole, edits) => edits.reduce((node, { op, path, from, value }) => {
  const find = (at) => steps(at).reduce((part, step) => get(part, step), node);
  if (op == 'test' && same(find(path), value)) return node;
  if (op == 'move' || op == 'copy') {
    value = find(from);
    if (op == 'move') node = edit(node, steps(from), 'remove');
    op = 'add';
  }
  if (value === undefined ? op != 'remove' : !/^(add|replace|remove)$/.test(op)) unfit();
  return edit(node, steps(path), op, value);
}, [whole])[0];

// Actions
const me = Math.random();
const url = (path) => new URL(`v1/${path}`, import.meta.url);
const secret = async ({ token } = settings) => (token?.call ? token() : token);
const pause = (fails, seconds) => new Promise((wake) => setTimeout(
  wake, seconds * 1e3 || 300 * 2 ** Math.min(fails, 4) * (0.5 + Math.random())));

async function send(path, body, key) {
  for (let fails = 0; ; fails++) {
    const token = await secret();
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key };
    if (token) headers.Authorization = `Bearer ${token}`;
    const reply = await fetch(url(path), { method: 'POST', body, headers }).catch(Response.error);
    const { status } = reply, answer = await reply.json().catch(() => {});
    if (answer && reply.ok) return answer;
    if (status > 399 && status < 502 && status != 429)
      throw Object.assign(Error(answer?.detail), { status, problem: answer });
    await pause(fails, reply.headers.get('Retry-After'));
  }
}

export function act(name, input = {}, { space = 'main', key = `${me}${Math.random()}` } = {}) {
  const answer = send(`spaces/${space}/${name}`, JSON.stringify(input), key);
  return Object.defineProperty(answer, 'shown', { get: () => answer.then(shown) });
}

async function shown(answer) {
  const isLate = ({ name, get }) => name.startsWith(`${answer.space}/`)
    && (get() === undefined || !(parseInt(seen[answer.space]) >= answer.version));
  for (let tries = 1; used().some(isLate); tries++) {
    await pause(0, 0.05);
    if (!(tries % 20)) want();
  }
  return answer;
}

// Views. One tab leads.
const views = {}, tabs = {}, seen = {};
let id = '', fails = 0, channel, isLeader, source, timer;

const used = () => Object.values(views).filter((one) => one.calls.size);
const want = () => say('want', me, used().map((one) => one.name));
const say = (...event) => {
  channel.postMessage(event);
  hear({ data: event });
};

function hear({ data: [type, data, names] }) {
  if (type == 'who') return want();
  if (type == 'want') {
    tabs[data] = names;
    id = '';
    return timer ??= setTimeout(open, 20);
  }
  const { _versions, ...news } = JSON.parse(data);
  Object.assign(seen, _versions);
  for (const name in news) views[keyOf(name)]?.take(type, news[name]);
}

async function open() {
  const ticket = await secret().then((it) => it && send('tickets', '{}', me)).catch(() => {}),
    names = new Set(Object.values(tabs).flat());
  source?.close();
  timer = null;
  if (!isLeader || !names.size) return;
  const query = new URLSearchParams([...names].slice(0, 100).map((name) => ['watch', name]));
  if (ticket) query.set('ticket', ticket.ticket);
  source = new EventSource(url(`live?delta=json-patch&lastEventId=${id}&${query}`));
  source.onmessage = ({ type, data, lastEventId }) => {
    [id, fails] = [timer ? '' : lastEventId.split('.')[0], 0];
    say(type, data);
  };
  source.addEventListener('patch', source.onmessage);
  source.onerror = () => {
    source.close();
    pause(fails++).then(open);
  };
}

function join() {
  const { locks } = navigator, name = url(settings.token);
  const lead = () => new Promise(() => say('who', isLeader = true));
  channel = new BroadcastChannel(locks ? name : me);
  channel.onmessage = hear;
  const on = addEventListener;
  on('online', open);
  on('pagehide', () => say('want', me, []));
  on('pageshow', ({ persisted }) => persisted && want());
  locks ? locks.request(name, lead) : lead();
}
const keyOf = (name) => decodeURIComponent(name).split(/[?&]/).sort().join();

export function view(name, { space = 'main', parameters } = {}) {
  channel ?? join();
  name = `${space}/${name}?${new URLSearchParams(parameters)}`;
  name = name.replaceAll('+', '%20').replace(/\?$/, '');
  const calls = new Set();
  let value;
  return views[keyOf(name)] ??= {
    name, calls, get: () => value,
    take(type, news) {
      if (type == 'patch') news = value === undefined ? value : patch(value, news);
      if (same(news, value)) return;
      value = news;
      calls.forEach(queueMicrotask);
    },
    subscribe(tell) {
      const call = () => tell(value);
      calls.add(call);
      want();
      if (value !== undefined) call();
      return () => calls.delete(call) && want();
    },
  };
}
