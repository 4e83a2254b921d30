// The surface of /client.js, sentence by sentence: pages of one browser beside a real server, in virtual time. The network can be
// cut, and each request is written down.
// Usage: node --experimental-vm-modules Tests/Mirror/surface.mjs PROGRAM

import { isDeepStrictEqual } from 'node:util';
import { Browser, Clock, Network, Page, settle } from './browser.mjs';
import { Server, tokenOf } from './server.mjs';

const server = await new Server(process.argv[2]).start();
const [boss, ada, eva] = [tokenOf({ sub: 'root', boss: true }), tokenOf({ sub: 'ada' }), tokenOf({ sub: 'eva' })];
const [text, whole] = [{ type: 'string' }, { type: 'integer' }];
const n = { input: { type: 'object', properties: { n: whole }, required: ['n'] } };
const document = {
  feature: 'till', home: 'space',
  state: {
    sum: { value: whole, initial: 0 }, unseen: { value: whole, initial: 0 },
    marks: { table: { key: text, row: { type: 'object', properties: { n: whole, at: whole }, required: ['n', 'at'] } } },
    here: { table: { key: text, row: { type: 'object', properties: { mood: { type: 'string', default: '' } } } }, kept: false, presence: true, grace: 0 },
  },
  actions: {
    pay: { ...n, do: [{ set: 'sum', to: 'state.sum + input.n' }, { put: 'marks', key: 'newId()', row: "{'n': input.n, 'at': size(state.marks)}" }], answer: 'state.sum' },
    take: { ...n, require: [{ that: 'state.sum >= input.n', else: { detail: 'too little is there' } }], do: [{ set: 'sum', to: 'state.sum - input.n' }] },
    hide: { do: [{ set: 'unseen', to: 'state.unseen + 1' }] },
  },
  views: {
    sum: { expression: 'state.sum' }, marks: { from: 'marks', sort: ['row.at'], select: 'row.n' },
    plus: { parameters: { n: whole }, expression: 'state.sum + input.n' },
    closed: { expression: 'state.sum', allow: 'state.sum < 100' }, here: { from: 'here', select: "{'who': key, 'mood': row.mood}" },
  },
};
const reply = await server.ask('PUT', '/v1/features/till', boss, document);
if (reply.status >= 300) throw Error(JSON.stringify(reply.json));

let [count, wrong, spaces] = [0, 0, 0];
const check = (name, isTrue, found) => { count += 1; if (!isTrue) { wrong += 1; console.log(`not ok: ${name}: ${JSON.stringify(found)}`); } };
const plain = (value) => value === undefined ? undefined : JSON.parse(JSON.stringify(value));

/** A browser with its network, a space of its own, and the requests that its pages have made. */
class Stage {
  constructor() {
    Object.assign(this, { clock: new Clock(), browser: new Browser(), space: `s${++spaces}`, requests: [], faults: () => ({}) });
    this.network = new Network(this.clock, () => server.url, (request) => { this.requests.push(request); return this.faults(request); });
  }
  async open(token = ada, settings = {}) {
    const page = new Page(this.browser, this.network, this.clock);
    await page.load();
    page.token = token;
    page.client.settings.token = () => page.token;
    Object.assign(page.client.settings, settings);
    return page;
  }
  view(page, name, parameters) { return page.client.view(`till.${name}`, { space: this.space, parameters }); }
  /** Follows a view; returns what it has shown. */
  follow(page, name, parameters) {
    const shown = [], problems = [], end = this.view(page, name, parameters).subscribe((value) => shown.push(plain(value)), (problem) => problems.push(plain(problem)));
    return { shown, problems, end, get last() { return shown.at(-1); } };
  }
  /** Performs an action; `outcome` is its answer or its error. */
  act(page, name, input, options = {}) {
    const performed = page.client.act(`till/${name}`, input, { space: this.space, ...options }), own = { performed, id: performed.id };
    performed.then((answer) => { own.outcome = plain(answer); }, (error) => { own.outcome = error; });
    performed.shown.then((answer) => { own.shown = plain(answer) ?? 'ended'; }, () => {});
    return own;
  }
  cut() { this.network.isOnline = false; this.network.cut(); }
  wait(milliseconds) { return settle(this.clock, [this.network], milliseconds); }
  /** Waits until something holds, half a minute of real time at most: the server needs time of its own. */
  async until(name, holds, found = () => undefined) {
    for (const end = Date.now() + 30e3; Date.now() < end && !await holds();) {
      await this.wait(20);
      await new Promise((wake) => setTimeout(wake, 4));
    }
    check(name, await holds(), await found());
  }
  async pending(page) {
    let all;
    page.client.pending().then((actions) => { all = plain(actions); });
    for (let round = 0; round < 100 && !all; round++) await this.wait(10);
    return all;
  }
  /** Lets a promise of the client end. */
  async given(promise) {
    const own = {};
    promise.then((value) => { own.value = plain(value) ?? null; }, (error) => { own.error = `${error}`; });
    for (let round = 0; round < 100 && !('value' in own) && !own.error; round++) await this.wait(10);
    return own;
  }
  async sum() { return (await server.ask('GET', `/v1/spaces/${this.space}/till/sum`, ada)).json; }
}

/** A view is a store with a status, and fails alone. */
async function views() {
  const stage = new Stage(), page = await stage.open(), { client } = page;
  const sum = stage.view(page, 'sum');
  check('the same name is the same object', sum === stage.view(page, 'sum') && sum !== stage.view(page, 'marks'));
  check('other parameters are another object', stage.view(page, 'plus', { n: '1&m=2' }) !== stage.view(page, 'plus', { n: 1, m: 2 }));
  check('parameters in another spelling are the same object', stage.view(page, 'plus', { n: 1 }) === stage.view(page, 'plus', { n: '1' }));
  check('a view begins without a value', sum.get() === undefined && sum.status === 'loading', sum.status);
  const [one, closed, missing] = [stage.follow(page, 'sum'), stage.follow(page, 'closed'), stage.follow(page, 'nothing')];
  await stage.until('a view gets its value', () => one.last === 0 && sum.get() === 0 && sum.status === 'live', () => [one.shown, sum.status]);
  await stage.until('an unknown view hands its problem to its subscriber', () => missing.problems[0]?.status === 404, () => missing);
  check('and is gone', stage.view(page, 'nothing').status === 'gone' && missing.shown.length === 0);
  const late = [];
  sum.subscribe((value) => late.push(value));
  check('a later listener is told the value at once', isDeepStrictEqual(late, [0]), late);
  stage.act(page, 'pay', { n: 150 });
  await stage.until('a view that is forbidden later is gone', () => closed.problems[0]?.status === 403 && stage.view(page, 'closed').status === 'gone', () => closed);
  await stage.until('the others go on', () => one.last === 150);
  stage.act(page, 'take', { n: 100 });
  await stage.until('it comes back by itself', () => closed.last === 50 && stage.view(page, 'closed').status === 'live', () => closed);
  one.end();
  closed.end();
  const before = one.shown.length;
  stage.act(page, 'pay', { n: 1 });
  await stage.until('other listeners go on', () => late.at(-1) === 51, () => late);
  check('an ended subscription hears nothing', one.shown.length === before && closed.last === 50);
  check('a listener that was ended twice is no fault', one.end() === undefined);
  const ofStreams = stage.requests.filter(({ path, method }) => method === 'POST' && path === '/v1/live').length;
  check('all of this needed one stream', ofStreams === 1, ofStreams);
  check('that was opened with a body and no ticket', stage.requests.every(({ path }) => !path.includes('ticket')));
  // The status while the network is away, and after a reload. Values are kept a moment after they came.
  await stage.wait(500);
  stage.cut();
  await stage.until('a view is stale without its stream', () => sum.status === 'stale' && sum.get() === 51, () => sum.status);
  page.end();
  const next = await stage.open();
  const again = stage.follow(next, 'sum');
  await stage.until('after a reload the last value is shown, as stale', () => again.last === 51 && stage.view(next, 'sum').status === 'stale', () => [again.shown, stage.view(next, 'sum').status]);
  stage.network.isOnline = true;
  await stage.until('and is live with the network', () => stage.view(next, 'sum').status === 'live');
  check('without being told again', isDeepStrictEqual(again.shown, [51]), again.shown);
  next.end();
}

/** Up to a thousand views on one stream, each for its own cost. */
async function many() {
  const stage = new Stage(), page = await stage.open();
  const all = Array.from({ length: 1000 }, (_, index) => stage.follow(page, 'plus', { n: index }));
  await stage.until('a thousand views have their values', () => all.every(({ last }, index) => last === index), () => all.filter(({ last }) => last === undefined).length);
  const one = stage.follow(page, 'sum');
  await stage.until('one more says that there are too many', () => one.problems[0]?.type === '/problems/too-many-views', () => one);
  all[0].end();
  await stage.until('and comes when there is room', () => one.last === 0, () => one);
  stage.act(page, 'pay', { n: 7 });
  await stage.until('all of them follow', () => one.last === 7 && all.slice(1).every(({ last }, index) => last === index + 8));
  check('on one stream', stage.requests.filter(({ path }) => path === '/v1/live').length === 1);
  page.end();
}

/** An action has an answer, an id and a moment at which it is shown. */
async function actions() {
  const stage = new Stage(), page = await stage.open(), sum = stage.follow(page, 'sum');
  await stage.until('the view is there', () => sum.last === 0);
  const paid = stage.act(page, 'pay', { n: 5 });
  check('an action has an id at once', typeof paid.id === 'string' && paid.id.length > 8, paid.id);
  await stage.until('an action is answered', () => paid.outcome?.version === 1 && paid.outcome.result === 5 && paid.outcome.space === stage.space, () => paid);
  await stage.until('and shown', () => paid.shown?.version === 1 && sum.last === 5, () => [paid.shown, sum.shown]);
  const unseen = stage.act(page, 'hide'), opened = stage.requests.filter(({ path }) => path === '/v1/live').length;
  await stage.until('an action that changes no watched view is shown, too', () => unseen.shown?.version === 2, () => unseen);
  check('on the same stream', stage.requests.filter(({ path }) => path === '/v1/live').length === opened);
  const refused = stage.act(page, 'take', { n: 50 });
  await stage.until('a refusal rejects with its problem', () => refused.outcome?.status === 409 && refused.outcome.problem?.detail === 'too little is there', () => `${refused.outcome}`);
  await stage.wait(500);
  check('a refusal that the page has heard of is in the queue no more', isDeepStrictEqual(await stage.pending(page), []) && page.client.status.get().refused === 0, page.client.status.get());
  const queued = stage.requests.filter(({ path }) => path.includes('/till/')).map(({ headers }) => headers['Headwater-Queue']?.split(';'));
  check('all of them were in the queue of one client', queued.every((one) => one?.[0] === queued[0][0]) && isDeepStrictEqual(queued.map((one) => one[1]), ['1', '2', '3']), queued);
  // Outside the queue.
  stage.requests.length = 0;
  const parallel = stage.act(page, 'pay', { n: 1 }, { parallel: true });
  await stage.until('a parallel action is answered', () => parallel.outcome?.result === 6, () => parallel);
  const [request] = stage.requests.filter(({ path }) => path.includes('/till/'));
  check('with a key and without a number', request.headers['Idempotency-Key'] === parallel.id && !request.headers['Headwater-Queue'], request.headers);
  page.end();
}

/** What ends an action before it was sent takes it back; afterwards it is the server's. */
async function endings() {
  const stage = new Stage(), page = await stage.open(), sum = stage.follow(page, 'sum');
  await stage.until('the view is there', () => sum.last === 0);
  const mark = () => stage.requests.filter(({ path }) => path.includes('/till/')).length;
  // Four are under way at once; those behind them were not sent.
  stage.cut();
  const ahead = [1, 2, 3, 4].map((n) => stage.act(page, 'pay', { n }));
  await stage.wait(200);
  const [abort, gone] = [new AbortController(), new AbortController()];
  gone.abort();
  const [stopped, late, never, sent] = [
    stage.act(page, 'pay', { n: 100 }, { signal: abort.signal }), stage.act(page, 'pay', { n: 200 }, { timeout: 300 }),
    stage.act(page, 'pay', { n: 400 }, { signal: gone.signal }), stage.act(page, 'pay', { n: 10 }),
  ];
  await stage.wait(100);
  const before = await stage.pending(page);
  check('those that wait are listed in their order', isDeepStrictEqual(before.map(({ input }) => input.n), [1, 2, 3, 4, 100, 200, 10]), before);
  check('with id, name, input, space and state', isDeepStrictEqual(before[4], { id: stopped.id, name: 'till/pay', input: { n: 100 }, space: stage.space, state: 'waiting' }) && before[0].state === 'sent', before[4]);
  await stage.until('a signal that was given ends an action at once', () => `${never.outcome}`.includes('discarded'), () => `${never.outcome}`);
  abort.abort();
  await stage.until('a signal takes back an action that was not sent', () => `${stopped.outcome}`.includes('discarded'), () => `${stopped.outcome}`);
  await stage.until('a timeout does so, too', () => `${late.outcome}`.includes('discarded'), () => `${late.outcome}`);
  check('an action that was sent cannot be discarded', (await stage.given(page.client.discard(ahead[0].id))).value === false);
  check('the status says what waits', page.client.status.get().waiting === 5 && page.client.status.get().refused === 0, page.client.status.get());
  stage.network.isOnline = true;
  await stage.until('the others are performed, in their order', () => sum.last === 20 && sent.outcome?.result === 20, () => [sum.shown, `${sent.outcome}`]);
  check('each once', isDeepStrictEqual((await server.ask('GET', `/v1/spaces/${stage.space}/till/marks`, ada)).json, [1, 2, 3, 4, 10]));
  // An answer that is late: the caller is told, the action stays.
  stage.faults = ({ path }) => path.includes('/till/') ? { isLostAfter: true } : {};
  const waited = stage.act(page, 'pay', { n: 5 }, { timeout: 1_000 });
  await stage.until('a timeout after sending rejects, too', () => `${waited.outcome}`.includes('no answer'), () => `${waited.outcome}`);
  check('and the action is still in the queue', (await stage.pending(page)).some(({ id, state }) => id === waited.id && state === 'sent'));
  stage.faults = () => ({});
  await stage.until('until it is answered', async () => (await stage.pending(page)).length === 0);
  check('it was performed once', await stage.sum() === 25 && mark() > 5, await stage.sum());
  page.end();
}

/** What an action does to a view is shown at once, undone when it is refused, and done again over what others do. */
async function optimism() {
  const stage = new Stage(), page = await stage.open(), sum = stage.follow(page, 'sum');
  const optimistic = { 'till.sum': (value, input) => value + input.n };
  await stage.until('the view is there', () => sum.last === 0);
  stage.faults = ({ path }) => path.includes('/till/') ? { delay: 2_000 } : {};
  const mine = stage.act(page, 'pay', { n: 5 }, { optimistic });
  await stage.wait(50);
  check('the promise of an action is shown at once', sum.last === 5 && !mine.outcome, sum.shown);
  await server.ask('POST', `/v1/spaces/${stage.space}/till/pay`, eva, { n: 10 });
  await stage.until('it stands over what others do', () => sum.last === 15, () => sum.shown);
  await stage.until('and is not counted twice when the server shows it', () => mine.shown, () => mine);
  check('at no moment', isDeepStrictEqual(sum.shown, [0, 5, 15]), sum.shown);
  const refused = stage.act(page, 'take', { n: 50 }, { optimistic: { 'till.sum': (value, input) => value - input.n } });
  await stage.wait(50);
  check('the promise of an action that will be refused is shown, too', sum.last === -35, sum.shown);
  await stage.until('and undone', () => refused.outcome?.status === 409 && sum.last === 15, () => sum.shown);
  const faulty = stage.act(page, 'pay', { n: 1 }, { optimistic: { 'till.sum': () => { throw Error('a fault of the page'); } } });
  await stage.until('a promise that throws changes nothing', () => faulty.shown && sum.last === 16, () => sum.shown);
  page.end();
}

/** The status is a store: the network, the token, what waits. */
async function statuses() {
  const stage = new Stage(), page = await stage.open('not a token'), states = [], sum = stage.follow(page, 'sum');
  const end = page.client.status.subscribe(({ state, since }) => { if (states.at(-1)?.[0] !== state) states.push([state, since]); });
  await stage.until('a token that is refused needs another', () => page.client.status.get().state === 'needs-auth', () => page.client.status.get());
  const paid = stage.act(page, 'pay', { n: 5 });
  await stage.wait(2_000);
  check('an action waits for it', page.client.status.get().waiting === 1 && !paid.outcome, page.client.status.get());
  page.token = ada;
  // The subject of the first token is another one: its action stays with it.
  await stage.until('with one that is good the page is live', () => page.client.status.get().state === 'live' && sum.last === 0, () => page.client.status.get());
  check('the action was another subject\'s', `${paid.outcome}`.includes('another subject') && page.client.status.get().waiting === 0, `${paid.outcome}`);
  stage.cut();
  page.tell('offline');
  await stage.until('without a network it is offline', () => page.client.status.get().state === 'offline', () => page.client.status.get());
  const away = [stage.act(page, 'pay', { n: 1 }), stage.act(page, 'take', { n: 9 })];
  await stage.until('and says how many wait', () => page.client.status.get().waiting === 2, () => page.client.status.get());
  stage.network.isOnline = true;
  page.tell('online');
  await stage.until('it returns', () => page.client.status.get().state === 'live' && page.client.status.get().waiting === 0, () => page.client.status.get());
  check('with all answers', away[0].outcome?.result === 1 && away[1].outcome?.status === 409, `${away[1].outcome}`);
  check('each state was told once, with its time', isDeepStrictEqual(states.map(([state]) => state).filter((state) => state !== 'connecting'), ['needs-auth', 'live', 'offline', 'live'])
    && states.every(([, since], index) => since > 1e12 && (!index || since >= states[index - 1][1])), states);
  end();
  stage.cut();
  page.tell('offline');
  await stage.wait(1_000);
  check('a listener that has ended hears nothing', states.at(-1)[0] === 'live', states);
  page.end();
}

/** Actions outlive their page, and so do their refusals. */
async function reloads() {
  const stage = new Stage(), first = await stage.open();
  stage.follow(first, 'sum');
  await stage.until('the first page is live', () => first.client.status.get().state === 'live');
  stage.cut();
  for (const n of [1, 2]) stage.act(first, 'pay', { n });
  stage.act(first, 'take', { n: 50 });
  stage.act(first, 'pay', { n: 4 });
  await stage.until('its actions are kept', async () => (await stage.pending(first)).length === 4);
  first.end();
  const second = await stage.open(), refusals = [], sum = stage.follow(second, 'sum');
  const end = second.client.onRefused((action, problem) => refusals.push([plain(action), plain(problem)]));
  check('the next page knows them', (await stage.pending(second)).map(({ input }) => input.n).join() === '1,2,50,4');
  stage.network.isOnline = true;
  await stage.until('and sends them in order', () => sum.last === 7, () => sum.shown);
  check('each once', isDeepStrictEqual((await server.ask('GET', `/v1/spaces/${stage.space}/till/marks`, ada)).json, [1, 2, 4]));
  await stage.until('a refusal of an earlier page reaches the page', () => refusals.length === 1, () => refusals);
  const [action, problem] = refusals[0] ?? [{}, {}];
  check('with the action and its problem', action.name === 'till/take' && action.input?.n === 50 && action.state === 'refused' && problem.status === 409 && isDeepStrictEqual(action.problem, problem), refusals);
  check('it stays in the queue, and is counted', isDeepStrictEqual(await stage.pending(second), [action]) && second.client.status.get().refused === 1, second.client.status.get());
  check('a refused action does not stop the queue', second.client.status.get().waiting === 0);
  // Again, while it is still refused, and then when it is not.
  check('it is tried again', (await stage.given(second.client.retry(action.id))).value === true);
  await stage.until('and refused again', async () => (await stage.pending(second))[0]?.state === 'refused');
  stage.act(second, 'pay', { n: 60 });
  await stage.until('there is enough now', () => sum.last === 67);
  check('it is tried once more', (await stage.given(second.client.retry(action.id))).value === true);
  await stage.until('and performed', () => sum.last === 17, () => sum.shown);
  check('an action that is gone cannot be tried', (await stage.given(second.client.retry(action.id))).value === false && (await stage.given(second.client.discard('nothing'))).value === false);
  end();
  second.end();
  // A refusal that nobody wants is discarded.
  stage.cut();
  const third = await stage.open();
  stage.act(third, 'take', { n: 90 });
  await stage.until('one waits', async () => (await stage.pending(third)).length === 1);
  third.end();
  stage.network.isOnline = true;
  const fourth = await stage.open();
  stage.follow(fourth, 'sum');
  await stage.until('it is refused', async () => (await stage.pending(fourth))[0]?.state === 'refused');
  check('it is discarded', (await stage.given(fourth.client.discard((await stage.pending(fourth))[0].id))).value === true);
  check('and gone', isDeepStrictEqual(await stage.pending(fourth), []) && fourth.client.status.get().refused === 0);
  fourth.end();
}

/** With `onRefusal = 'stop'` a refused action stops those after it in its space. */
async function stopping() {
  const stage = new Stage(), other = `s${++spaces}`, page = await stage.open(ada, { onRefusal: 'stop' }), sum = stage.follow(page, 'sum');
  await stage.until('the view is there', () => sum.last === 0);
  const refused = stage.act(page, 'take', { n: 5 });
  await stage.until('the action is refused', () => refused.outcome?.status === 409, () => `${refused.outcome}`);
  const [waiting, elsewhere] = [stage.act(page, 'pay', { n: 3 }), stage.act(page, 'pay', { n: 1 }, { space: other })];
  await stage.until('other spaces go on', () => elsewhere.outcome?.result === 1, () => `${elsewhere.outcome}`);
  await stage.wait(5_000);
  check('those after it wait', !waiting.outcome && page.client.status.get().waiting === 1 && page.client.status.get().refused === 1, page.client.status.get());
  check('it is discarded', (await stage.given(page.client.discard(refused.id))).value === true);
  await stage.until('and they go on', () => waiting.outcome?.result === 3 && sum.last === 3, () => `${waiting.outcome}`);
  page.end();
}

/** The queue belongs to the subject of the token. */
async function subjects() {
  const stage = new Stage(), page = await stage.open(), marks = stage.follow(page, 'marks');
  await stage.until('the view is there', () => isDeepStrictEqual(marks.last, []));
  stage.cut();
  const mine = stage.act(page, 'pay', { n: 1 });
  await stage.until('an action waits', async () => (await stage.pending(page)).length === 1);
  page.token = eva;
  const theirs = stage.act(page, 'pay', { n: 2 });
  await stage.until('the promise ends with its subject', () => `${mine.outcome}`.includes('another subject'), () => `${mine.outcome}`);
  check('the values are forgotten', marks.last === undefined && stage.view(page, 'marks').get() === undefined, marks.shown);
  check('the next subject sees its own queue only', isDeepStrictEqual((await stage.pending(page)).map(({ input }) => input.n), [2]));
  stage.network.isOnline = true;
  await stage.until('and sends that', () => theirs.outcome && isDeepStrictEqual(marks.last, [2]), () => [`${theirs.outcome}`, marks.shown]);
  await stage.wait(3_000);
  check('nothing of the last one', await stage.sum() === 2);
  page.token = ada;
  await stage.given(page.client.pending());
  await stage.until('which is sent under its own', () => isDeepStrictEqual(marks.last, [2, 1]), () => marks.shown);
  page.end();
}

/** Tabs share one stream, one queue, and a lead that a hidden one hands over. */
async function tabs() {
  const stage = new Stage(), pages = [await stage.open(), await stage.open(), await stage.open()], sums = pages.map((page) => stage.follow(page, 'sum'));
  const streams = () => stage.requests.filter(({ path }) => path === '/v1/live').length;
  await stage.until('all tabs show the value', () => sums.every(({ last }) => last === 0));
  check('on one stream', streams() === 1, streams());
  const acts = pages.map((page, index) => stage.act(page, 'pay', { n: index + 1 }));
  await stage.until('each tab has the answers of its own actions', () => acts.every(({ outcome, shown }) => outcome?.version && shown), () => acts);
  await stage.until('and all values', () => sums.every(({ last }) => last === 6));
  const numbers = stage.requests.filter(({ path }) => path.includes('/till/')).map(({ headers }) => headers['Headwater-Queue'].split(';')).map(([client, n]) => [client, n]);
  check('their queue is one', new Set(numbers.map(([client]) => client)).size === 1 && isDeepStrictEqual(numbers.map(([, n]) => n).sort(), ['1', '2', '3']), numbers);
  // The one that leads is hidden, and another becomes visible.
  pages[0].isHidden = true;
  pages[0].tell('visibilitychange');
  pages[1].tell('visibilitychange');
  await stage.until('a hidden tab hands over the lead', () => streams() === 2, streams);
  stage.act(pages[2], 'pay', { n: 4 });
  await stage.until('and all go on', () => sums.every(({ last }) => last === 10), () => sums.map(({ last }) => last));
  pages[1].end();
  stage.act(pages[0], 'pay', { n: 5 });
  await stage.until('a tab that dies is followed by the next', () => sums[0].last === 15 && sums[2].last === 15, () => sums.map(({ last }) => last));
  check('no tab saw an older value', sums.every(({ shown }) => shown.every((value, index) => !index || value > shown[index - 1])), sums.map(({ shown }) => shown));
  for (const page of [pages[0], pages[2]]) page.end();
}

/** Nothing is kept with `persist = false`. */
async function forgetting() {
  const stage = new Stage(), pages = [await stage.open(ada, { persist: false }), await stage.open(ada, { persist: false })], sums = pages.map((page) => stage.follow(page, 'sum'));
  await stage.until('the views are there', () => sums.every(({ last }) => last === 0));
  const acts = pages.map((page, index) => stage.act(page, 'pay', { n: index + 1 }));
  await stage.until('actions are performed', () => acts.every(({ outcome }) => outcome?.version) && sums.every(({ last }) => last === 3), () => acts);
  check('nothing is in the database', stage.browser.databases.commits === 0, stage.browser.databases.commits);
  const clients = new Set(stage.requests.filter(({ path }) => path.includes('/till/')).map(({ headers }) => headers['Headwater-Queue'].split(';')[0]));
  check('each tab has a queue of its own', clients.size === 2, [...clients]);
  for (const page of pages) page.end();
}

/** A row of presence lives with the page. */
async function presences() {
  const stage = new Stage(), page = await stage.open(), other = await stage.open(eva), here = stage.follow(other, 'here');
  await stage.until('nobody is there', () => isDeepStrictEqual(here.last, []));
  const end = page.client.presence('till.here', { space: stage.space, as: 'ada', with: { mood: 'glad' } });
  await stage.until('a row of presence is there', () => isDeepStrictEqual(here.last, [{ who: 'ada', mood: 'glad' }]), () => here.shown);
  stage.network.cut();
  await stage.until('also after a lost connection', () => page.client.status.get().state === 'live' && isDeepStrictEqual(here.last, [{ who: 'ada', mood: 'glad' }]), () => here.shown);
  end();
  await stage.until('and ends', () => isDeepStrictEqual(here.last, []), () => here.shown);
  page.client.presence('till.here', { space: stage.space, as: 'ada' });
  await stage.until('it returns', () => isDeepStrictEqual(here.last, [{ who: 'ada', mood: '' }]), () => here.shown);
  page.end();
  await stage.until('and goes with its page', () => isDeepStrictEqual(here.last, []), () => here.shown);
  other.end();
}

/** Signing out forgets everything of the subject, in all tabs. */
async function signingOut() {
  const stage = new Stage(), pages = [await stage.open(), await stage.open()], sums = pages.map((page) => stage.follow(page, 'sum'));
  await stage.until('both tabs are live', () => sums.every(({ last }) => last === 0) && pages.every(({ client }) => client.status.get().state === 'live'));
  stage.cut();
  stage.act(pages[0], 'pay', { n: 1 });
  await stage.until('an action waits', async () => (await stage.pending(pages[1])).length === 1 && pages[0].client.status.get().waiting === 1);
  const refused = await stage.given(pages[0].client.signOut());
  check('signing out rejects if something waits', refused.error?.includes('wait'), refused);
  for (const page of pages) page.token = eva;
  const out = await stage.given(pages[0].client.signOut({ discard: true }));
  check('and discards it if asked to', out.value === null, out);
  const content = JSON.stringify([...stage.browser.databases.all.values()].map(({ tables }) => [...tables].map(([name, { rows }]) => [name, [...rows.values()].filter(({ key, value }) => value?.subject === 'ada@' || key?.[0] === 'ada@')])));
  check('nothing of the subject is kept', !content.includes('ada@'), content);
  stage.network.isOnline = true;
  await stage.until('the next subject begins anew', () => sums[0].last === 0 && pages[0].client.status.get().state === 'live', () => sums[0].shown);
  check('after its values were forgotten', sums[0].shown.includes(undefined), sums[0].shown);
  await stage.wait(3_000);
  check('the action was never performed', await stage.sum() === 0);
  for (const page of pages) page.end();
}

for (const part of [views, many, actions, endings, optimism, statuses, reloads, stopping, subjects, tabs, forgetting, presences, signingOut]) {
  try { await part(); } catch (error) { check(`the part ${part.name} ends`, false, `${error.stack ?? error}`); }
}
console.log(`${count - wrong} of ${count} sentences about the surface hold`);
await server.end();
process.exit(wrong ? 1 : 0);
