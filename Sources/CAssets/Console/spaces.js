// The list of spaces: searched, with size and last commit.

import { h, setText } from './dom.js';
import { curlLine } from './curl.js';
import { bytes, number, plural, since } from './format.js';
import { space } from './space.js';
import { dataTable } from './table.js';
import { curlBox } from './tape.js';
import { ask, get, token } from './wire.js';

const pageLimit = 50, pause = 250;

/** Asks for the name of a space before its state is deleted. */
function deletion(name, onDeleted) {
  const problem = h('p.problem', { role: 'alert' });
  const input = h('input', { id: 'delete-name', autocomplete: 'off', spellcheck: 'false', autocapitalize: 'off', oninput: () => { remove.disabled = input.value !== name; } });
  const remove = h('button.danger', { type: 'submit', disabled: true }, 'Delete the space');
  const dialog = h('dialog.ask', { 'aria-labelledby': 'delete-title', onclose: () => dialog.remove() },
    h('form', {
      onsubmit: async (event) => {
        event.preventDefault();
        if (input.value !== name) return;
        try {
          await ask('DELETE', `/v1/spaces/${encodeURIComponent(name)}`);
          dialog.close();
          onDeleted();
        } catch (error) {
          setText(problem, error.message);
        }
      },
    },
    h('h2', { id: 'delete-title' }, 'Delete ', h('code', {}, name), '?'),
    h('p', {}, 'Its state and its history are removed for good. Its next action creates it again, at version 1.'),
    h('label', { for: 'delete-name' }, 'To confirm, type the name of the space'), input, problem,
    h('div.row', {}, remove, h('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel'))));
  document.body.append(dialog);
  dialog.showModal();
}

export function draw(page, { signal }) {
  const words = h('input', { id: 'spaces-words', type: 'search', autocomplete: 'off', spellcheck: 'false', autocapitalize: 'off', placeholder: 'a name, or a part of one' });
  const way = h('select', { id: 'spaces-way' }, h('option', { value: 'prefix' }, 'begins with'), h('option', { value: 'search' }, 'contains'));
  const problem = h('p.problem', { role: 'alert' });
  const more = h('button', { type: 'button', onclick: () => load(false) }, 'More');
  const line = curlBox('');
  const to = (name, where) => `#/${encodeURIComponent(name)}/${where}`;
  const table = dataTable('Spaces', {
    hasSearch: false, keyOf: ({ name }) => name, empty: 'No space has such a name. A space exists from its first action on.',
    columns: [
      { name: 'name', title: 'Name', value: ({ name }) => name, draw: ({ name }) => h('a', { href: to(name, 'overview') }, name) },
      { name: 'version', title: 'Commits', isNumber: true, value: ({ version }) => version, draw: ({ name, version }) => h('a', { href: to(name, 'changes') }, number(version)) },
      { name: 'at', title: 'Last commit', value: ({ at }) => at, draw: ({ at }) => (at ? h('time', { datetime: at, title: at }, since(at)) : h('span.quiet', { title: 'This commit is no longer stored' }, 'unknown')) },
      { name: 'bytes', title: 'Size', isNumber: true, value: (one) => one.bytes, draw: (one) => (one.bytes === undefined ? '' : `${one.isWhole ? '' : 'over '}${bytes(one.bytes)}`) },
      { name: 'delete', title: 'Delete', isFixed: true, value: () => 0, draw: ({ name }) => (name === 'common' ? '' : h('button.quiet', { type: 'button', 'aria-label': `Delete ${name}`, onclick: () => deletion(name, () => load(true)) }, 'Delete…')) },
    ],
  });
  let next = null, turn = 0;
  const first = () => `/v1/spaces?limit=${pageLimit}&details=1${words.value.trim() ? `&${way.value}=${encodeURIComponent(words.value.trim())}` : ''}`;

  /** Loads the first page, or the next one. A page of a search can be empty and go on. */
  async function load(isAnew) {
    const mine = (turn += 1);
    const path = isAnew ? first() : next;
    line.set(curlLine('GET', path, { hasToken: !!token.value }));
    more.disabled = true;
    try {
      const told = await get(path, { signal });
      if (mine !== turn) return;
      next = told.next ?? null;
      setText(problem, '');
      table.set(isAnew ? told.spaces : [...table.rows, ...told.spaces], next ? ' so far' : '');
      setText(more, table.rows.length || !next ? 'More' : 'Look at more names');
    } catch (error) {
      if (signal.aborted || mine !== turn) return;
      next = null;
      table.set([]);
      setText(problem, error.status === 403 ? 'Your token may not list spaces: that needs the right admin. Type a name in the field Space.' : error.message);
    }
    more.hidden = !next;
    more.disabled = false;
  }

  let timer = null;
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => load(true), pause);
  };
  words.addEventListener('input', soon);
  way.addEventListener('change', () => load(true));
  signal.addEventListener('abort', () => clearTimeout(timer));
  page.append(
    h('h1', {}, 'Spaces'),
    h('p.lead', {}, 'Every space of this server that your token covers. You are in ', h('b', {}, space.name), '.'),
    h('div.row.filters', {}, h('label', { for: 'spaces-way' }, 'Name'), way, h('label.hidden', { for: 'spaces-words' }, 'Part of the name'), words,
      h('button', { type: 'button', onclick: () => load(true) }, 'Refresh')),
    problem, table.element, h('div.row', {}, more), line);
  more.hidden = true;
  load(true);
}
