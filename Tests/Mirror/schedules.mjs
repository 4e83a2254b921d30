// Random schedules of /client.js in virtual time: tabs of one browser that open and die, and one real server that is killed,
// over a network that loses, delays, repeats and cuts. In the end each tab shows what the server has, each action was performed
// once and in its order, no view showed an older value after a newer one, and the queue is empty.
// Usage: node --experimental-vm-modules Tests/Mirror/schedules.mjs PROGRAM FIRST COUNT

import { isDeepStrictEqual } from 'node:util';
import { Browser, Clock, Network, Page, Random, settle } from './browser.mjs';
import { Server, tokenOf } from './server.mjs';

const [program, first = '1', count = '20'] = process.argv.slice(2);
/** The real time for which a schedule may take to become quiet. */
const patience = 120e3;
const [token, boss] = [tokenOf({ sub: 'ada' }), tokenOf({ sub: 'root', boss: true })];
const [text, whole] = [{ type: 'string' }, { type: 'integer' }];
const document = {
  feature: 'ledger', home: 'space',
  state: {
    entries: { table: { key: text, row: { type: 'object', properties: { place: whole, by: text, n: whole }, required: ['place', 'by', 'n'] } } },
    count: { value: whole, initial: 0 },
  },
  actions: {
    append: {
      input: { type: 'object', properties: { by: text, n: whole }, required: ['by', 'n'] },
      require: [{ that: 'input.n % 10 != 9', else: { detail: 'nines are refused' } }],
      do: [{ put: 'entries', key: 'newId()', row: "{'place': state.count, 'by': input.by, 'n': input.n}" }, { set: 'count', to: 'state.count + 1' }],
    },
  },
  views: {
    all: { from: 'entries', sort: ['row.place'], select: "{'by': row.by, 'n': row.n}" }, count: { expression: 'state.count' },
    of: { parameters: { by: text }, from: 'entries', where: 'row.by == input.by', sort: ['row.place'], select: 'row.n' },
  },
};

const server = await new Server(program).start();
const reply = await server.ask('PUT', '/v1/features/ledger', boss, document);
if (reply.status >= 300) throw Error(JSON.stringify(reply.json));

/** A tab: its page, its actions with their answers, and the complaints about what its views showed. */
class Tab {
  constructor(by, space) { Object.assign(this, { by, space, sent: 0, answers: new Map(), complaints: [] }); }
  async open(browser, network, clock) {
    this.page = await new Page(browser, network, clock, { token }).load();
    const { client } = this.page, { space, by } = this, last = { count: 0, all: 0 };
    const follow = (name, sizeOf) => client.view(`ledger.${name}`, { space }).subscribe((value) => {
      if (value === undefined) return;
      if (sizeOf(value) < last[name]) this.complaints.push(`${name} went from ${last[name]} to ${sizeOf(value)}`);
      last[name] = sizeOf(value);
    });
    follow('count', (value) => value);
    follow('all', (value) => value.length);
    client.view('ledger.of', { space, parameters: { by } }).subscribe(() => {});
    return this;
  }
  get(name, parameters) { return this.page.client.view(`ledger.${name}`, { space: this.space, parameters }).get(); }
  act() {
    const n = this.sent++;
    this.page.client.act('ledger/append', { by: this.by, n }, { space: this.space })
      .then(({ isUnknown }) => this.answers.set(n, isUnknown ? 'unknown' : 'done'), (error) => this.answers.set(n, error.status));
  }
}

const expected = (length) => Array.from({ length }, (_, n) => n).filter((n) => n % 10 !== 9);
const counts = { actions: 0, unknown: 0, tabs: 0, deaths: 0, cuts: 0, kills: 0 };

/** Runs a schedule. Returns its faults. */
async function run(seed) {
  const random = new Random(seed), clock = new Clock(), browser = new Browser(), space = `s${seed}`, faults = [];
  let isRough = true;
  const network = new Network(clock, () => server.url, () => isRough ? {
    isLostBefore: random.isOne(12), isLostAfter: random.isOne(12), isTwice: random.isOne(20),
    delay: random.isOne(4) ? random.below(400) : 0, delayAfter: random.isOne(4) ? random.below(400) : 0, cutAfter: random.isOne(3) ? 1 + random.below(6) : 0,
  } : {});
  const [tabs, dead] = [[], []];
  const open = async () => {
    counts.tabs += 1;
    tabs.push(await new Tab(`${tabs.length + dead.length}`, space).open(browser, network, clock));
  };
  for (let left = random.isOne(50) ? 20 : random.one([1, 2, 2, 4]); left; left--) await open();
  await settle(clock, [network], random.below(300), 1);
  for (let left = 6 + random.below(9); left; left--) {
    switch (random.one(['act', 'act', 'act', 'wait', 'cut', 'die', 'open', 'kill', 'offline', 'online'])) {
      case 'act': for (let more = 1 + random.below(8), tab = random.one(tabs); more; more--) { tab.act(); counts.actions += 1; } break;
      case 'wait': await settle(clock, [network], random.below(3_000), 1); break;
      case 'cut': counts.cuts += 1; network.cut(); break;
      case 'die': if (tabs.length > 1) { counts.deaths += 1; const [tab] = tabs.splice(random.below(tabs.length), 1); tab.page.end(); dead.push(tab); } break;
      case 'open': if (tabs.length < 5) await open(); break;
      case 'kill': if (random.isOne(10)) { counts.kills += 1; await server.kill(); await server.start(); } break;
      case 'offline': network.isOnline = false; network.cut(); break;
      case 'online': network.isOnline = true; break;
    }
    await settle(clock, [network], random.below(100), 1);
  }
  isRough = false;
  network.isOnline = true;
  network.cut();
  const path = (name) => `/v1/spaces/${space}/ledger/${name}`;
  for (const end = Date.now() + patience; ;) {
    await settle(clock, [network], 1_000, 2);
    const isAnswered = tabs.every((tab) => tab.answers.size === tab.sent && tab.page.client.status.get().waiting === 0 && tab.page.client.status.get().state === 'live');
    if (isAnswered) {
      const { json: all } = await server.ask('GET', path('all'), token);
      const shown = tabs.map((tab) => [tab.get('all'), tab.get('count'), tab.get('of', { by: tab.by })]);
      if (tabs.every((tab, place) => isDeepStrictEqual(JSON.parse(JSON.stringify(shown[place])), [all, all.length, expected(tab.sent)]))) break;
    }
    if (Date.now() < end) continue;
    faults.push(`no quiet: ${tabs.map((tab) => JSON.stringify([tab.by, tab.sent, [...tab.answers.keys()].length, tab.page.client.status.get(), tab.get('count'), tab.get('of', { by: tab.by })]))}`);
    break;
  }
  const { json: all } = await server.ask('GET', path('all'), token), of = (by) => all.filter((one) => one.by === by).map(({ n }) => n);
  for (const { by, sent, answers, complaints, page } of tabs) {
    if (!isDeepStrictEqual(of(by), expected(sent))) faults.push(`tab ${by}: ${of(by)}`);
    // The server keeps the last answer only: an answer that was lost, and is asked for after a later one, is unknown.
    const wrong = [...answers].filter(([n, answer]) => answer !== (n % 10 === 9 ? 409 : 'done') && answer !== 'unknown');
    counts.unknown += [...answers.values()].filter((answer) => answer === 'unknown').length;
    faults.push(...complaints, ...page.complaints);
    if (wrong.length) faults.push(`tab ${by} was answered ${JSON.stringify(wrong)}`);
    if (Object.keys(page.client.inside.session.held).length > 2 + tabs.length + dead.length) faults.push(`tab ${by} keeps views that nobody watches`);
  }
  // Of a tab that died, the actions that it had stored.
  for (const { by, sent, complaints } of dead) {
    faults.push(...complaints);
    if (!isDeepStrictEqual(of(by), expected(sent).slice(0, of(by).length))) faults.push(`tab ${by}, dead: ${of(by)}`);
  }
  const pending = await Promise.race([tabs[0].page.client.pending(), settle(clock, [network], 3_000).then(() => ['no answer'])]);
  if (pending.some((one) => one.state !== 'refused')) faults.push(`the queue has ${JSON.stringify(pending)}`);
  for (const tab of tabs) tab.page.end();
  return faults;
}

let [done, bad] = [0, 0];
for (let seed = Number(first); seed < Number(first) + Number(count); seed++) {
  const faults = await run(seed);
  done += 1;
  if (faults.length) { bad += 1; console.log(`schedule ${seed}: ${faults.join('; ')}`); }
  if (done % 20 === 0) console.log(`${done} schedules, ${bad} with faults`);
}
console.log(`${done} schedules from ${first}: ${bad} with faults; ${Object.entries(counts).map(([name, all]) => `${all} ${name}`).join(', ')}`);
await server.end();
process.exit(bad ? 1 : 0);
