// A simulation of mirrors: several pages with /mirror.js, one real server, random documents and actions, and a network that
// loses, delays and repeats. After quiet each page equals the server restricted to its replica, and each acknowledged action
// is there once. Usage: node --experimental-vm-modules Tests/Mirror/simulation.mjs PROGRAM SEED STEPS [PAGES]

import { isDeepStrictEqual } from 'node:util';
import { Browser, Clock, Network, Page, Random, settle } from './browser.mjs';
import { actionOf, documentOf } from './documents.mjs';
import { Server, tokenOf } from './server.mjs';

const [program, seed = '1', stepCount = '300', pageCount = '3'] = process.argv.slice(2);
const isTalking = process.env.MIRROR_LOG === '1';
const random = new Random(seed), clock = new Clock(Date.now()), people = ['ada', 'bob', 'eva'];
const boss = tokenOf({ sub: 'root', boss: true });
const say = (...words) => { if (isTalking) console.log(...words); };

const server = await new Server(program).start();
/** The documents, with the version of the space after which each came. */
const hashes = [];
let version = 0, document = documentOf(random), documents = 1;
const put = async (next) => {
  const reply = await server.ask('PUT', '/v1/features/work', boss, next);
  if (reply.status >= 300) throw Error(`the document is refused: ${JSON.stringify(reply.json)}`);
  document = next;
  const [{ json: index }, { json: space }] = [await server.ask('GET', '/v1', boss), await server.ask('GET', '/v1/spaces/main', boss)];
  hashes.push({ from: space?.version ?? 0, hash: index.features.find((one) => one.name === 'work').hash });
};
await put(document);

/** What became of each action, by its mark. */
const made = new Map();
const counts = { right: 0, overtaken: 0, followed: 0, unpredictable: 0, changed: 0, group: 0, retimed: 0, unheard: 0, removed: 0, unexplained: 0, rejected: 0, refused: 0, changedDocument: 0, acknowledged: 0, lost: 0, days: 0 };
const faults = [];
const fault = (words) => { faults.push(words); console.log(`seed ${seed}: ${words}`); };

class Client {
  constructor(name, index) {
    Object.assign(this, { name, index, role: undefined, browser: new Browser(), last: new Map(), told: new Map(), pages: 0 });
    this.network = new Network(clock, () => server.url, () => this.faults());
  }
  get token() { return tokenOf({ sub: this.name, ...(this.role && { role: this.role }) }); }
  faults() {
    if (isQuiet) return {};
    return {
      isLostBefore: random.isOne(25), isLostAfter: random.isOne(25), isTwice: random.isOne(20),
      delay: random.isOne(4) ? random.below(400) : 0, delayAfter: random.isOne(4) ? random.below(400) : 0,
      cutAfter: random.isOne(4) ? 1 + random.below(6) : 0,
    };
  }
  async open() {
    this.page = await new Page(this.browser, this.network, clock, { token: this.token, skew: this.skew ?? 0 }).load();
    this.shown = {};
    // The code of a page is of the document that it was opened with.
    this.document = document;
    this.pages += 1;
    this.page.client.settings.token = () => this.token;
    this.page.client.settings.observed = (...values) => this.observe(...values);
    this.work = this.page.mirror.mirror('work', { space: 'main' });
    this.work.ready.catch(() => {});
    for (const name of Object.keys(document.views)) {
      this.work.view(name, name === 'few' ? { least: 3 } : {}).subscribe((value) => { this.shown[name] = value; this.look(name); }, () => {});
    }
  }
  /** No view ever shows half of a commit: lists and their sums come from one moment. */
  look() {}
  observe(one, outcome, hash) {
    const { versions, held } = this.page.client.inside.session;
    // A replica from disk is of the versions in its tag.
    const version = Math.max(...[versions.main, held['main/work!replica']?.tag].map((text) => parseInt(text) || 0));
    const mark = one.input?.mark;
    const { queue } = this.page.client.inside.session;
    if (mark) this.told.set(mark, [...this.told.get(mark) ?? [], `page ${this.pages}: ${one.n} ${one.state} at ${versions.main} ${parseInt(held['main/work!replica']?.tag)} queue ${queue.main}${outcome.rows ? '' : ' fails'}`]);
    if (!mark || one.n === undefined) return;
    // Rows and values are copied, because the page goes on.
    const wrote = outcome.rows && JSON.parse(JSON.stringify({ rows: Object.fromEntries(Object.entries(outcome.rows).map(([label, rows]) => [label, Object.fromEntries([...rows].map(([key, row]) => [key, row ?? null]))])), values: outcome.values }));
    this.last.set(mark, { wrote, failure: wrote ? undefined : outcome.problem ? 'rejection' : 'unpredictable', version, n: one.n, queue: queue.main ?? 0, hash, time: one.time, page: this.page });
  }
  act() {
    const [name, given] = actionOf(random, this.document, people), mark = `m${made.size}`, input = { mark, ...given };
    const entry = { mark, name, client: this, input, state: 'waiting' };
    made.set(mark, entry);
    say('act', this.name, this.index, name, JSON.stringify(input));
    const page = this.page;
    this.work.act(name, input).then((answer) => { entry.state = 'acknowledged'; entry.answer = answer; }, (error) => {
      if (error.constructor.name === 'Rejection') entry.state = 'rejected'; else if (error.problem) entry.state = 'refused'; else if (page.isAlive) entry.state = 'lost';
      entry.problem = error.problem ?? `${error}`;
    });
  }
  /** Ends the page without a word, perhaps between two writes, and opens another one on the same browser. */
  async reload() {
    say('reload', this.name, this.index);
    this.page.end();
    await this.open();
  }
}

let isQuiet = true;
const clients = [];
for (let index = 0; index < Number(pageCount); index++) clients.push(new Client(people[index % people.length], index));
for (const client of clients) await client.open();
const networks = clients.map((client) => client.network);
await settle(clock, networks, 500);
isQuiet = false;

for (let step = 0; step < Number(stepCount); step++) {
  const client = random.one(clients);
  switch (random.below(40)) {
    case 0: await client.reload(); break;
    case 1: client.network.isOnline = false; client.network.cut(); say('offline', client.index); break;
    case 2: case 3: client.network.isOnline = true; break;
    case 4: client.network.cut(); break;
    case 5: if (random.isOne(6)) { say('server'); await server.kill(); await server.start(); } break;
    case 6: if (random.isOne(4)) { version += 1; documents += 1; say('document', version); await put(documentOf(random, version)); } break;
    case 7: if (random.isOne(3)) { client.role = client.role ? undefined : 'boss'; say('role', client.index, client.role); client.network.cut(); } break;
    case 8: if (random.isOne(4)) { client.skew = random.one([0, 3_600_000, -90_000_000]); client.page.end(); await client.open(); say('skew', client.skew); } break;
    case 9: case 10: case 11: case 12: await settle(clock, networks, random.below(3_000), 1); break;
    case 13: case 14: client.act(); client.act(); client.act(); break;
    case 15: if (random.isOne(3)) { client.act(); await Promise.resolve(); await client.reload(); } break;
    case 16: if (random.isOne(4)) {
      // A day without a network, for a browser that sleeps: its timers are all due when it wakes.
      counts.days += 1;
      client.network.isOnline = false;
      client.network.cut();
      for (let more = 4; more; more--) client.act();
      await settle(clock, networks, 10, 1);
      clock.now += 86_400_000 + random.below(7_200_000);
      break;
    }
    default: client.act(); if (random.isOne(2)) await settle(clock, networks, random.below(60), 1);
  }
}

// Quiet: everybody is online, and all that waits is answered.
isQuiet = true;
for (const client of clients) { client.network.isOnline = true; client.network.cut(); }
/** Returns what the pages still wait for. */
async function waits() {
  const all = await Promise.all(clients.map(async ({ index, network, page: { client } }) => {
    const entries = await Promise.race([client.pending(), settle(clock, [], 10).then(() => [{ name: 'the queue', state: 'unread' }])]);
    const actions = entries.filter((one) => one.state !== 'refused').map(({ name, state }) => `${name} is ${state}`), { state } = client.status.get();
    return [...actions, ...(state === 'live' ? [] : [`the stream is ${state}`]), ...[...network.open].map(({ path }) => `${path} is open`)].map((one) => `page ${index}: ${one}`);
  }));
  return all.flat();
}
// All that a page waits for ends by an answer, for which `settle` waits, or by a timer of a minute at most. So the patience is
// virtual time, without that in which the server holds an action back.
for (let round = 0, idle = 0; ; round++) {
  await settle(clock, networks, 1_000, 2);
  const rest = await waits();
  if (!rest.length && round > 3) break;
  if (networks.every(({ open }) => !open.size)) idle += 1;
  if (idle < 600) continue;
  fault(`no quiet after ten minutes: ${rest.join(', ')}`);
  break;
}
// Each page has heard of the last commit. Answers stand for the time that the server had to send it.
for (let answers = 0; answers < 1_000; answers++) {
  const { json: space } = await server.ask('GET', '/v1/spaces/main', boss);
  if (clients.every(({ page: { client: { inside } } }) => parseInt(inside.session.versions.main ?? 0) >= (space?.version ?? 0))) break;
  await settle(clock, networks, 0, 10);
}
await settle(clock, networks, 3_000, 5);

// Each page equals the server restricted to its replica.
const sorted = (value) => Array.isArray(value) ? value.map(sorted) : value && typeof value === 'object' ? Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])])) : value;
const plain = (base) => base && sorted(JSON.parse(JSON.stringify({ ...Object.fromEntries(Object.entries(base.tables).map(([label, table]) => [label, Object.fromEntries(table.rows)])), ...base.values })));
for (const client of clients) {
  const { replica: base } = client.work.replica.get() ?? {}, truth = sorted(await server.replica('main/work!replica', client.token));
  const held = plain(base);
  for (const label of Object.keys(truth)) {
    // A table without rows may be absent.
    const own = held?.[label] === undefined && document.state[label]?.table ? {} : held?.[label];
    if (!isDeepStrictEqual(own, truth[label])) fault(`page ${client.index} holds another ${label}: ${JSON.stringify(own)} instead of ${JSON.stringify(truth[label])}`);
  }
  for (const name of Object.keys(document.views)) {
    const { status, json } = await server.ask('GET', `/v1/spaces/main/work/${name}${name === 'few' ? '?least=3' : ''}`, client.token);
    if (status === 200 && name !== 'tasks' && !isDeepStrictEqual(client.shown[name] === undefined ? undefined : JSON.parse(JSON.stringify(client.shown[name])), json)) fault(`page ${client.index} shows another ${name}: ${JSON.stringify(client.shown[name])} instead of ${JSON.stringify(json)}`);
  }
  for (const path of client.network.unanswered) fault(`page ${client.index}: the server has not answered ${path}`);
  if (client.page.complaints.length) fault(`page ${client.index}: ${client.page.complaints[0]}`);
}

// Each acknowledged action is there once, and predictions are what the server made.
const { json: changes } = await server.ask('GET', '/v1/spaces/main/changes?since=0&limit=10000', boss);
const byMark = new Map();
for (const change of changes ?? []) {
  const { mark } = change.input ?? {};
  if (!mark) continue;
  if (byMark.has(mark)) fault(`the action ${mark} was committed twice`);
  byMark.set(mark, change);
}
const now = /\d{4}-\d\d-\d\dT[\d:.]+Z/g, same = (a, b) => isDeepStrictEqual(JSON.parse(JSON.stringify(sorted(a)).replace(now, 'NOW')), JSON.parse(JSON.stringify(sorted(b)).replace(now, 'NOW')));
/** True if a commit of an earlier page of the same browser came between, which the page of a prediction never performed. */
const isUnheard = (client, last, change) => changes.some((other) => {
  const own = made.get(other.input?.mark);
  return own?.client === client && other.version > last.version && other.version < change.version && client.last.get(own.mark)?.page !== last.page;
});
/** True if an identifier of a prediction has another time than that of the commit. */
const isRetimed = (wrote, truth) => {
  const [guess, commit] = [wrote.rows, truth].map((rows) => Object.keys(rows.items ?? {})[0]?.slice(0, 11));
  return guess !== commit;
};
/** True if a prediction was made over an own action that waited, and that came out otherwise than it was predicted. */
const isFollowing = ({ client }, last) => [...client.last].some(([mark, one]) => one.n < last.n && one.n > last.queue
  && one.failure !== 'unpredictable' && (byMark.has(mark) ? !made.get(mark).isRight : one.wrote));
const inOrder = [...made.values()].sort((a, b) => (a.client.last.get(a.mark)?.n ?? 0) - (b.client.last.get(b.mark)?.n ?? 0));
for (const entry of inOrder) {
  if (entry.state === 'acknowledged') {
    counts.acknowledged += 1;
    if (entry.answer.changed?.length && !entry.answer.isUnknown && !byMark.has(entry.mark)) fault(`the action ${entry.mark} was acknowledged and is lost`);
  }
  if (entry.state === 'rejected') { counts.rejected += 1; if (byMark.has(entry.mark)) fault(`the action ${entry.mark} was rejected here and committed`); }
  if (entry.state === 'refused') {
    counts.refused += 1;
    if (entry.problem.type === '/problems/changed-document') counts.changedDocument += 1;
    // The answer was lost, and the feature has lost the action before the client asked again.
    const isRemoved = entry.problem.type === '/problems/no-such-action';
    if (byMark.has(entry.mark)) { if (isRemoved) counts.removed += 1; else fault(`the action ${entry.mark} was refused and committed: ${JSON.stringify(entry.problem)}`); }
  }
  if (entry.state === 'lost') counts.lost += 1;
  const change = byMark.get(entry.mark), last = entry.client.last.get(entry.mark);
  if (!change || !last) continue;
  if (last.failure === 'unpredictable') { counts.unpredictable += 1; continue; }
  // The commits of others, and of other pages, between what the page knew and the commit.
  const isOvertaken = (changes ?? []).some((other) => other.version > last.version && other.version < change.version && made.get(other.input?.mark)?.client !== entry.client);
  const truth = {};
  for (const [name, value] of Object.entries(change.changed)) {
    const label = name.replace('work.', '');
    if (!document.replica[label]) continue;
    truth[label] = document.state[label].table ? Object.fromEntries(Object.entries(value).map(([key, row]) => [key, row && Object.fromEntries(Object.entries(row).filter(([member]) => member !== 'pin'))])) : value;
  }
  const guess = {};
  for (const label in last.wrote?.rows) guess[label] = { ...last.wrote.rows[label] };
  for (const label in last.wrote?.values) guess[label] = last.wrote.values[label];
  // Writes that change nothing are no part of a commit.
  for (const label in guess) {
    if (!(label in truth)) { if (!document.state[label].table || Object.values(guess[label]).every((row) => row !== undefined)) delete guess[label]; continue; }
    if (document.state[label].table) for (const key in guess[label]) if (!(key in truth[label])) delete guess[label][key];
  }
  const isShownTwice = last.version >= change.version;
  if (!last.failure && same(guess, truth)) { counts.right += 1; entry.isRight = true; }
  else if (isOvertaken && !isShownTwice) counts.overtaken += 1;
  else if (hashes.findLast((one) => one.from < change.version)?.hash !== last.hash) counts.changed += 1;
  else if (['task', 'move'].includes(entry.name)) counts.group += 1;
  // An own action before it was refused, or made something else.
  else if (!isShownTwice && isFollowing(entry, last)) counts.followed += 1;
  // An own action was answered, and its page has ended before it heard the event: the next page does not know it.
  else if (isUnheard(entry.client, last, change)) counts.unheard += 1;
  // The server has refused the time, and the page has ended before it predicted the action again.
  else if (entry.name === 'fresh' && isRetimed(last.wrote, truth)) counts.retimed += 1;
  else { counts.unexplained += 1; fault(`${entry.mark} ${entry.name} ${JSON.stringify(entry.input)}: predicted ${last.failure ?? JSON.stringify(guess)} at ${last.version}, committed ${JSON.stringify(truth)} as ${change.version}; ${entry.client.told.get(entry.mark).slice(-12).join('; ')}`); }
}
console.log(`seed ${seed}: ${stepCount} steps, ${made.size} actions, ${byMark.size} commits, ${documents} documents: ${Object.entries(counts).map(([name, count]) => `${count} ${name}`).join(', ')}`);
for (const client of clients) client.page.end();
await server.end();
process.exit(faults.length ? 1 : 0);
