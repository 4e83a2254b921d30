// The subjects of the server, and their streams.

import { h, setText } from './dom.js';
import { curlLine } from './curl.js';
import { number, plural, since } from './format.js';
import { dataTable } from './table.js';
import { curlBox } from './tape.js';
import { get, token } from './wire.js';

const period = 3_000;

/** Returns how long a token is good. */
function until(text) {
  const minutes = Math.round((new Date(text) - Date.now()) / 60_000);
  if (minutes < 0) return since(text);
  return minutes < 120 ? `in ${plural(minutes, 'minute')}` : minutes < 2_880 ? `in ${plural(Math.round(minutes / 60), 'hour')}` : `in ${plural(Math.round(minutes / 1_440), 'day')}`;
}

const quiet = (text, title) => h('span.quiet', { title }, text);

export function draw(page, { signal }) {
  const problem = h('p.problem', { role: 'alert' });
  const words = h('input', { id: 'subjects-words', type: 'search', autocomplete: 'off', spellcheck: 'false', placeholder: 'a part of a name' });
  const more = h('button', { type: 'button', onclick: () => { pages += 1; load(); } }, 'More');
  const table = dataTable('Subjects', {
    hasSearch: false, keyOf: ({ subject }) => subject, empty: 'No subject has such a name.',
    columns: [
      { name: 'subject', title: 'Subject', value: ({ subject }) => subject, draw: ({ subject, classes }) => subject || quiet(classes.includes('open') ? 'everybody' : 'without a name', classes.includes('open') ? 'This server needs no token' : 'Tokens without a subject') },
      { name: 'rights', title: 'Rights', value: ({ rights }) => rights.join(', '), draw: ({ rights }) => rights.join(', ') || quiet('none', 'No grant is true for its tokens') },
      { name: 'tokens', title: 'Tokens', isNumber: true, value: ({ tokens }) => tokens, draw: ({ tokens, classes }) => [number(tokens), classes.includes('jwt') ? h('span.tag', { title: 'JSON Web Token' }, 'JWT') : null].filter(Boolean) },
      { name: 'expires', title: 'Good until', value: ({ expires }) => expires, draw: ({ expires }) => (expires ? h('time', { datetime: expires, title: expires }, until(expires)) : quiet('no end')) },
      { name: 'streams', title: 'Streams', isNumber: true, value: ({ streams }) => streams, draw: ({ streams, routes }) => (streams ? h('details.routes', {}, h('summary', {}, number(streams)), h('ul', {}, Object.entries(routes).map(([route, count]) => h('li', {}, `${number(count)} `, h('code', {}, route))))) : '0') },
      { name: 'actions', title: 'Actions', isNumber: true, value: ({ actions }) => actions },
      { name: 'refusals', title: 'Refusals', isNumber: true, value: ({ refusals }) => refusals },
    ].map((column) => (column.draw ? column : { ...column, draw: (row) => number(column.value(row)) })),
  });
  let pages = 1, turn = 0, timer = null;
  const first = () => `/v1/subjects?limit=100${words.value.trim() ? `&search=${encodeURIComponent(words.value.trim())}` : ''}`;
  const line = curlBox('');

  async function load() {
    clearTimeout(timer);
    const mine = (turn += 1);
    line.set(curlLine('GET', first(), { hasToken: !!token.value }));
    try {
      let path = first(), rows = [];
      for (let count = 0; path && count < pages; count += 1) {
        const told = await get(path, { signal, isQuiet: true });
        rows = [...rows, ...told.subjects];
        path = told.next;
      }
      if (mine !== turn) return;
      setText(problem, '');
      // An opened row stays as it is while somebody reads it.
      if (!table.element.querySelector('details[open]')) table.set(rows, path ? ' so far' : '');
      more.hidden = !path;
    } catch (error) {
      if (signal.aborted || mine !== turn) return;
      setText(problem, error.status === 403 ? 'Your token may not see the subjects: that needs the right admin for all spaces.' : error.message);
      table.element.hidden = error.status === 403;
      if (error.status === 403) return;
    }
    timer = setTimeout(() => (document.hidden ? (timer = setTimeout(load, period)) : load()), period);
  }
  words.addEventListener('input', () => { pages = 1; load(); });
  signal.addEventListener('abort', () => clearTimeout(timer));
  page.append(
    h('h1', {}, 'Subjects'),
    h('p.lead', {}, 'Who uses this server: the tokens that it knows, their open streams, and what they have asked for since it knows them.'),
    h('div.row.filters', {}, h('label', { for: 'subjects-words' }, 'Name'), words), problem, table.element, h('div.row', {}, more), line);
  more.hidden = true;
  load();
}
