// Hostile clients, and pages whose storage fails: a caller learns and gains nothing by sending the numbers, times, documents
// and keys of others; what signs out is gone from the disk; without a disk the page goes on in memory, and says so.
// Usage: node --experimental-vm-modules Tests/Mirror/hostile.mjs PROGRAM

import http from 'node:http';
import { Browser, Clock, Network, Page, settle } from './browser.mjs';
import { Server, tokenOf } from './server.mjs';

const server = await new Server(process.argv[2]).start(), clock = new Clock(Date.now());
const [boss, ada, eva] = [tokenOf({ sub: 'root', boss: true }), tokenOf({ sub: 'ada' }), tokenOf({ sub: 'eva' })];
const [text, object] = [{ type: 'string' }, (properties) => ({ type: 'object', properties, required: Object.keys(properties).filter((name) => !properties[name].private) })];
const document = {
  feature: 'work', home: 'space',
  state: {
    notes: { table: { key: text, row: object({ owner: text, words: text, pin: { type: 'string', private: true, default: 'a-secret-pin' } }) }, indexes: { ofOwner: { by: ['row.owner'] } } },
    code: { value: { type: 'string', private: true }, initial: 'a-secret-code' }, constructor: { value: text, initial: 'a word' },
  },
  actions: {
    add: { input: object({ words: text }), do: [{ put: 'notes', key: 'newId()', row: "{'owner': token.sub, 'words': input.words}" }], answer: 'newId()' },
    change: {
      input: object({ id: text, words: text }), require: [{ that: 'input.id in state.notes && state.notes[input.id].owner == token.sub', else: { status: 403, detail: 'this is not yours' } }],
      do: [{ update: 'notes', key: 'input.id', with: "{'words': input.words}" }],
    },
  },
  views: { mine: { from: 'notes', where: 'row.owner == token.sub', sort: ['key'], select: 'row.words', local: true }, word: { expression: 'state.constructor' } },
  replica: { notes: { where: 'row.owner == token.sub' }, constructor: {} },
};

let [count, wrong] = [0, 0];
const check = (name, isTrue, found) => { count += 1; if (!isTrue) { wrong += 1; console.log(`not ok: ${name}: ${JSON.stringify(found)}`); } };

/** Performs an action as no page does: with fields of the attacker's choice. */
const act = (token, name, input, fields = {}) => new Promise((done, fail) => {
  const body = JSON.stringify(input);
  const request = http.request(`${server.url}/v1/spaces/main/work/${name}`, {
    method: 'POST', agent: false, headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body), ...fields },
  }, (reply) => {
    let whole = '';
    reply.on('data', (bytes) => { whole += bytes; });
    reply.on('end', () => done({ status: reply.statusCode, json: JSON.parse(whole), fields: reply.headers }));
  });
  request.on('error', fail);
  request.end(body);
});
const queued = (client, n, time = new Date().toISOString()) => ({ 'Headwater-Queue': `${client};${n};${n - 1}`, 'Headwater-Time': time });

check('the document is taken', (await server.ask('PUT', '/v1/features/work', boss, document)).status < 300);

// The numbers of another client: each subject has a queue of its own under them.
const client = Buffer.alloc(16, 7).toString('base64url'), time = new Date().toISOString();
const first = await act(ada, 'add', { words: 'of ada' }, queued(client, 1, time));
check('an action in a queue is performed', first.status === 200 && first.json.version === 1, first);
const stolen = await act(eva, 'add', { words: 'of eva' }, queued(client, 1, time));
check('the queue of another subject is not answered', stolen.status === 200 && stolen.json.version === 2 && !stolen.fields['idempotency-replayed'], stolen);
const again = await act(ada, 'add', { words: 'of ada' }, queued(client, 1, time));
check('the own one is', again.json.version === 1 && again.fields['idempotency-replayed'] === 'true', again);
const { json: changes } = await server.ask('GET', '/v1/spaces/main/changes?since=0', boss);
const ids = changes.map(({ changed }) => Object.keys(changed['work.notes'])[0]);
check('the same place in a queue is another identifier for another subject', ids.length === 2 && ids[0] !== ids[1] && ids[0].slice(0, 11) === ids[1].slice(0, 11), ids);

// Times and documents that a client makes up.
for (const made of ['2001-01-01T00:00:00Z', '9999-12-31T23:59:59Z', new Date(Date.now() + 60_000).toISOString()]) {
  const reply = await act(eva, 'add', { words: 'late' }, queued(client, 2, made));
  check(`the time ${made} is refused`, reply.status === 422 && reply.json.type === '/problems/clock', reply);
}
for (const bad of ['not a time', '-1', '1e99']) check(`the time ${bad} is no time`, (await act(eva, 'add', { words: 'x' }, queued(client, 2, bad))).status === 400);
check('a document that never was is looked at by its input only', [200, 409].includes((await act(eva, 'add', { words: 'of eva' }, { ...queued(client, 2), 'Headwater-Document': '../../etc/passwd' })).status));
for (const bad of [';;', 'a;1;0', `${client};0;0`, `${client};-1;0`, `${client};1;1`, `${client};9007199254740993000;0`, `${client};1;0;0`, `${client};x;0`]) {
  check(`the queue ${bad} is refused`, (await act(eva, 'add', { words: 'x' }, { 'Headwater-Queue': bad })).status === 400, bad);
}

// Keys of others.
const theirs = await act(eva, 'change', { id: ids[0], words: 'taken' }, queued(client, 3));
check('the row of another caller stays', theirs.status === 403, theirs);
for (const key of ['__proto__', 'constructor', '', '\u0000', 'x'.repeat(100_000)]) check('a strange key changes nothing', [403, 422].includes((await act(eva, 'change', { id: key, words: 'x' })).status), key.slice(0, 20));

// A replica has the caller's rows, and no private member.
for (const [name, token, words] of [['ada', ada, ['of ada']], ['eva', eva, ['of eva', 'of eva']]]) {
  const value = await server.replica('main/work!replica', token), whole = JSON.stringify(value);
  check(`the replica of ${name} has the own rows`, JSON.stringify(Object.values(value.notes).map((row) => row.words)) === JSON.stringify(words), value);
  check(`the replica of ${name} has nothing private`, !/secret|pin|code/.test(whole), whole);
}
const { json: shown } = await server.ask('GET', '/v1/features/work/client', eva);
check('the document for clients has nothing private', !/secret|where": "row.owner/.test(JSON.stringify(shown)), shown);

/** Opens a page of a browser, with the view of the own notes. */
async function open(browser, token, more) {
  const network = new Network(clock, () => server.url), page = await new Page(browser, network, clock, { token, ...more }).load();
  page.work = page.mirror.mirror('work', { space: 'main' });
  page.work.view('mine').subscribe((rows) => { page.mine = rows; });
  for (const end = Date.now() + 60e3; !page.mine && Date.now() < end;) await settle(clock, [network], 500);
  return [page, network];
}
const contentOf = (browser) => JSON.stringify([...browser.databases.all.values()].map(({ tables }) => [...tables].map(([name, { rows }]) => [name, [...rows.values()]])));

// Signing out erases the disk, also of an action that waits, and of the replica of that person only.
const browser = new Browser();
const [page, network] = await open(browser, ada);
await settle(clock, [network], 2_000);
check('the replica is on disk', contentOf(browser).includes('of ada'));
let word;
page.work.view('word').subscribe((value) => { word = value; });
await settle(clock, [network], 500);
check('a variable may have any name', word === 'a word', word);
const rejected = page.work.act('change', { id: 'none', words: 'x' }), rejections = await Promise.allSettled([rejected, rejected.shown]);
check('an action that the replica refuses is never shown', rejections.every(({ reason }) => reason?.problem?.status === 403) && 'id' in rejected, rejections);
network.isOnline = false;
page.work.act('add', { words: 'unsent words' }).catch(() => {});
await settle(clock, [network], 500);
check('an action that waits is on disk', contentOf(browser).includes('unsent words'));
const refused = await Promise.race([page.client.signOut().then(() => undefined, (error) => `${error}`), settle(clock, [network], 500)]);
check('signing out says that actions wait', /wait/.test(refused ?? ''), refused);
const out = page.client.signOut({ discard: true });
await settle(clock, [network], 3_000);
await out;
check('signing out erases all of it', !/of ada|unsent words|work!replica/.test(contentOf(browser)), contentOf(browser).slice(0, 500));
check('and the page shows nothing', page.work.view('mine').get() === undefined || page.work.view('mine').status !== 'live', page.work.view('mine').get());
page.end();

// A right that ends takes the replica from the disk.
const [other, way] = await open(browser, eva);
await settle(clock, [way], 2_000);
check('the next person has the own rows', JSON.stringify(other.mine) === '["of eva","of eva"]', other.mine);
check('and none of the last one', !contentOf(browser).includes('of ada'));
const problems = [];
other.work.view('mine').subscribe(() => {}, (problem) => problems.push(problem.status));
await server.ask('PUT', '/v1/features/work', boss, { ...document, allow: { read: "token.sub != 'eva'" } });
for (let round = 0; round < 40 && contentOf(browser).includes('of eva'); round++) await settle(clock, [way], 1_000);
check('a right that ends takes the replica from the disk', !contentOf(browser).includes('of eva'), contentOf(browser).slice(0, 500));
for (let round = 0; round < 10 && problems[0] !== 403; round++) await settle(clock, [way], 1_000);
check('and its views say why', problems[0] === 403, problems);
other.end();
await server.ask('PUT', '/v1/features/work', boss, document);

// A page whose first requests fail asks again, and one that may not have the document says so.
{
  const network = new Network(clock, () => server.url), page = await new Page(new Browser(), network, clock, { token: ada }).load();
  network.isOnline = false;
  const work = page.mirror.mirror('work', { space: 'main' });
  let rows, isReady, refusal;
  work.ready.then(() => { isReady = true; }, () => {});
  work.view('mine').subscribe((value) => { rows = value; });
  await settle(clock, [network], 20_000);
  check('without a network and a disk there is nothing to show', rows === undefined && !isReady, rows);
  network.isOnline = true;
  for (let round = 0; round < 20 && !rows; round++) await settle(clock, [network], 1_000);
  check('a page that opened without a network has its rows once there is one', isReady && rows?.[0] === 'of ada', rows);
  const other = page.mirror.mirror('nothing', { space: 'main' });
  other.ready.catch(({ status }) => { refusal = status; });
  let problem;
  other.view('mine').subscribe(() => {}, (found) => { problem = found; });
  for (let round = 0; round < 20 && !problem; round++) await settle(clock, [network], 1_000);
  check('a document that is refused refuses the mirror and its views', refusal === 404 && problem?.status === 404, [refusal, problem]);
  page.end();
}

// Storage that is full or blocked, or no storage at all.
for (const fault of ['blocked', 'full', 'none']) {
  const own = new Browser();
  own.databases.fault = fault;
  const [poor, line] = await open(own, ada, { hasStorage: fault !== 'none' }), before = poor.mine?.length;
  const done = poor.work.act('add', { words: `without a disk: ${fault}` });
  let answer;
  done.then((value) => { answer = value; }, (error) => { answer = error; });
  // A busy machine may take longer than the virtual time of a wait.
  for (const end = Date.now() + 20e3; !answer && Date.now() < end;) await settle(clock, [line], 500);
  await settle(clock, [line], 500);
  check(`an action is performed with storage that is ${fault}`, answer?.version > 0, `${answer}`);
  check(`and is shown, once (${fault})`, poor.mine?.length === before + 1, poor.mine);
  check(`and the status says so (${fault})`, fault === 'none' || poor.client.status.get().storage === 'failed', poor.client.status.get());
  check(`and nothing waits (${fault})`, poor.client.status.get().waiting === 0, poor.client.status.get());
  poor.end();
}
console.log(`${count - wrong} of ${count} attacks and failures end well`);
await server.end();
process.exit(wrong ? 1 : 0);
