// The health of the server, and how much of its limits is in use.

import { h, setText } from './dom.js';
import { bytes, duration, number } from './format.js';
import { refusal, watchMetrics } from './metrics.js';
import { get } from './wire.js';

const titles = {
  requestLineBytes: 'Request line', headerBytes: 'Header fields together', fieldCount: 'Header fields', bodyBytes: 'Body', jsonDepth: 'Depth of JSON',
  requestSeconds: 'Time for a request', idleSeconds: 'Idle connection', stallSeconds: 'Stalled reader', heartbeatSeconds: 'Heartbeat of streams', connectionCount: 'Connections',
  actionsPerSecond: 'Actions a second', bytesPerSecond: 'Bytes a second', streamCount: 'Open streams', trialCount: 'Trials at once',
  historyCommits: 'Commits in the history', memoryBytes: 'Memory of loaded spaces', spaceBytes: 'Memory of one space', loopCount: 'Event loops', needsToken: 'Needs a token', hasAudit: 'Audit log',
};

/** The words of a limit; those of its name if it is a new one. */
const named = (name) => titles[name] ?? name.replace(/(Bytes|Seconds|Count|PerSecond|Commits)$/, '').replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`).replace(/^./, (letter) => letter.toUpperCase()).replace('Json', 'JSON');
function valued(name, value) {
  if (value === null) return name === 'durability' ? 'in memory only' : 'no limit';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (name.endsWith('Bytes') || name.startsWith('bytes')) return value % 1024 === 0 && value < 2 ** 20 ? `${number(value / 1024)} KiB` : value % 2 ** 20 === 0 && value < 2 ** 30 ? `${number(value / 2 ** 20)} MiB` : bytes(value);
  if (name.endsWith('Seconds')) return `${value} s`;
  return typeof value === 'number' ? number(value) : String(value);
}

const groups = { messages: 'Messages and connections', subject: 'Each subject', spaces: 'Spaces', server: 'This server' };

/** A part of a limit that is in use. */
function gauge(label) {
  const bar = h('meter', { min: 0, max: 1, low: 0.8, high: 0.95, optimum: 0, value: 0, 'aria-label': label });
  const text = h('dd.big', {}, '–'), note = h('dd.note');
  return {
    element: h('div.tile', {}, h('dt', {}, label), text, h('dd', {}, bar), note),
    set(value, most, say = number) {
      setText(text, Number.isFinite(value) ? say(value) : '–');
      bar.parentElement.hidden = !most;
      if (most) bar.value = Math.min(1, value / most);
      setText(note, most ? `of ${say(most)}` : '');
    },
  };
}

export function draw(page, { signal }) {
  const health = h('p.health', { role: 'status' }, h('span.dot', { 'aria-hidden': 'true' }), h('b', {}, 'Asking…'), h('span.quiet'));
  const gauges = {
    connections: gauge('Connections'), streams: gauge('Open streams'), memory: gauge('Loaded spaces'), spaces: gauge('Spaces in memory'),
    process: gauge('Memory of the process'), files: gauge('Open files'), polls: gauge('Waiting long polls'), failures: gauge('Failed writes'),
  };
  const problem = h('p.problem', { role: 'alert' });
  const list = h('div.cards');
  let limits = null;
  page.append(
    h('h1', {}, 'Health'),
    h('p.lead', {}, 'Whether this server can read and write, and how much of each limit is in use.'),
    health, h('dl.tiles', {}, Object.values(gauges).map(({ element }) => element)), h('h2', {}, 'Limits'), problem, list);
  get('/v1/limits', { signal }).then((told) => {
    limits = told;
    list.replaceChildren(...Object.entries(groups).map(([group, title]) => h('section.card', { 'aria-label': title }, h('h3', {}, title),
      h('dl.pairs', {}, Object.entries(told[group]).map(([name, value]) => [h('dt', {}, named(name)), h('dd', {}, valued(name, value))])))));
  }).catch((error) => {
    if (!signal.aborted) setText(problem, error.status === 403 ? 'Your token may not see the limits: that needs the right admin for all spaces.' : error.message);
  });
  watchMetrics(signal, ({ figures: now, health: told }) => {
    const isReady = told === 'ready';
    health.dataset.state = isReady ? 'good' : 'bad';
    setText(health.children[1], isReady ? 'Ready' : told === 'away' ? 'No answer' : 'Not ready');
    if (!now) return setText(health.children[2], isReady ? refusal : told === 'away' ? '' : told);
    setText(health.children[2], isReady ? `It reads and writes, up for ${duration(Date.now() / 1000 - now.process_start_time_seconds)}.` : told);
    gauges.connections.set(now.headwater_connections, limits?.messages.connectionCount);
    gauges.streams.set(now.headwater_streams_active);
    gauges.memory.set(now.headwater_spaces_loaded_bytes, limits?.spaces.memoryBytes, bytes);
    gauges.spaces.set(now.headwater_spaces_loaded);
    gauges.process.set(now.process_resident_memory_bytes, null, bytes);
    gauges.files.set(now.process_open_fds, now.process_max_fds);
    gauges.polls.set(now.headwater_polls_waiting);
    gauges.failures.set((now.headwater_journal_sync_failures_total ?? 0) + (now.headwater_audit_lost_total ?? 0));
  });
}
