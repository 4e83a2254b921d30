// The end of the audit log.

import { h, setText } from './dom.js';
import { curlLine } from './curl.js';
import { since } from './format.js';
import { dataTable } from './table.js';
import { curlBox } from './tape.js';
import { get, token } from './wire.js';

const pageLimit = 200;

export function draw(page, { signal }) {
  const problem = h('p.problem', { role: 'alert' });
  const off = h('p.empty', {}, 'This server writes no audit log. Start it with ', h('code', {}, '--audit FILE'), ': then each action, refusal and ticket has a line.');
  const older = h('button', { type: 'button', onclick: () => load(false) }, 'Older events');
  const refresh = h('button', { type: 'button', onclick: () => load(true) }, 'Refresh');
  const line = curlBox('');
  const plain = (name) => (row) => row[name] ?? '';
  const table = dataTable('Events of the audit log, newest first', {
    keyOf: (row, place) => `${row.request}/${row.at}/${place}`, empty: 'The log is empty.',
    columns: [
      { name: 'at', title: 'When', value: ({ at }) => at, draw: ({ at, request }) => h('time', { datetime: at, title: `${at}, request ${request}` }, since(at)) },
      { name: 'event', title: 'Event', value: ({ event }) => event, draw: ({ event }) => h(`span.kind.is-${event}`, {}, event) },
      { name: 'by', title: 'By', value: ({ by }) => by?.sub, draw: ({ by, class: kind }) => (by?.sub ? by.sub : h('span.quiet', { title: 'No subject' }, kind)) },
      { name: 'what', title: 'What', value: (row) => row.action ?? row.path, draw: (row) => h('code', {}, row.action ?? row.path ?? '') },
      { name: 'space', title: 'Space', value: plain('space'), draw: ({ space }) => (space ? h('a', { href: `#/${encodeURIComponent(space)}/changes` }, space) : '') },
      { name: 'outcome', title: 'Outcome', value: (row) => row.outcome ?? row.problem, draw: (row) => [
        row.outcome ?? '', row.version ? h('span.tag', { title: 'The version of the space' }, `v${row.version}`) : null,
        row.problem ? h('span.problem', {}, ` ${row.status} ${row.problem}`) : null].filter(Boolean) },
    ],
  });
  let next = null, hasLog;

  async function load(isAnew) {
    const path = isAnew ? `/v1/audit?limit=${pageLimit}` : next;
    line.set(curlLine('GET', path, { hasToken: !!token.value }));
    try {
      // Without an audit log its path is 404; the limits say so first.
      hasLog ??= (await get('/v1/limits', { signal })).server.hasAudit;
      off.hidden = hasLog;
      if (!hasLog) return;
      const told = await get(path, { signal });
      next = told.next ?? null;
      setText(problem, '');
      table.set(isAnew ? told.events : [...table.rows, ...told.events], next ? ' so far' : '');
      table.element.hidden = false;
    } catch (error) {
      if (signal.aborted) return;
      next = null;
      table.element.hidden = true;
      setText(problem, error.status === 403 ? 'Your token may not read the audit log: that needs the right admin for all spaces.' : error.message);
    }
    older.hidden = !next;
  }

  page.append(
    h('h1', {}, 'Audit log'),
    h('p.lead', {}, 'What was done and what was refused, newest first: who, when, where. Tokens and values of inputs are never in it.'),
    problem, off, table.element, h('div.row', {}, older), line);
  table.search.append(refresh);
  off.hidden = older.hidden = true;
  table.element.hidden = true;
  load(true);
}
