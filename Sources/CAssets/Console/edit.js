// Editing by an administrator: rows, the undoing of a commit, and tables as files.

import { h, setText } from './dom.js';
import { jsonEditor } from './editor.js';
import { number, plural } from './format.js';
import { space } from './space.js';
import { get, post, token } from './wire.js';

const editsLimit = 1_000, windowLimit = 1_000;
const path = () => space.path('administration/edit');

/** Opens a dialog with a reason; `act` gets the reason, and `rehearse` is true for a trial. Closed after a success. */
function dialog(title, parts, label, act, { isDanger = false, focus } = {}) {
  const problem = h('p.problem', { role: 'alert' }), note = h('p.note', { role: 'status' });
  const reason = h('input', { id: 'edit-reason', required: true, maxLength: 1000, autocomplete: 'off', placeholder: 'why, in words' });
  const run = async (event, isTrial) => {
    event.preventDefault();
    if (!reason.reportValidity()) return;
    setText(problem, '');
    setText(note, '');
    try {
      const answer = await act(reason.value, isTrial);
      if (!answer) return;
      if (isTrial) setText(note, answer.changed.length ? `This would be version ${number(answer.version)}.` : 'This would change nothing.');
      else box.close();
    } catch (error) {
      setText(problem, `${error.message}${error.problem?.pointer ? ` (${error.problem.pointer})` : ''}`);
    }
  };
  const box = h('dialog.ask', { 'aria-labelledby': 'edit-title', onclose: () => box.remove() },
    h('form.stack', { onsubmit: (event) => run(event, false) },
      h('h2', { id: 'edit-title' }, title), parts,
      h('label', { for: 'edit-reason' }, 'Reason'), reason, problem, note,
      h('div.row', {}, h(isDanger ? 'button.danger' : 'button.primary', { type: 'submit' }, label),
        h('button', { type: 'button', onclick: (event) => run(event, true) }, 'Rehearse'),
        h('button.quiet', { type: 'button', onclick: () => box.close() }, 'Cancel'))));
  document.body.append(box);
  box.showModal();
  (focus ?? reason).focus();
}

const send = (reason, edits, isTrial) => post(`${path()}${isTrial ? '?rehearse=1' : ''}`, { reason, edits });

/** Returns the tables of documents whose rows the views show with their keys, by view; none without the right to read documents. */
export async function editableViews(features, signal) {
  const tables = new Map();
  for (const { name } of features) {
    let document;
    try {
      document = await get(`/v1/features/${encodeURIComponent(name)}`, { signal, isQuiet: true });
    } catch {
      return tables;
    }
    for (const [view, one] of Object.entries(document.views ?? {})) {
      const state = document.state?.[one.from];
      const isWhole = !['select', 'count', 'sum', 'min', 'max', 'average', 'join'].some((member) => member in one);
      if (state?.table && state.kept !== false && isWhole) tables.set(`${name}.${view}`, `${name}.${one.from}`);
    }
  }
  return tables;
}

/** Edits a row, or adds one without `row`. */
export function editRow(table, row) {
  const key = h('input', { id: 'edit-key', required: true, autocomplete: 'off', spellcheck: 'false', value: row?.key ?? '', readOnly: !!row });
  const editor = jsonEditor('Row', { rows: 12 });
  editor.text = JSON.stringify(row?.row ?? {}, null, 2);
  dialog(row ? `Edit a row of ${table}` : `Add a row to ${table}`, [h('label', { for: 'edit-key' }, 'Key'), key, editor.element], row ? 'Save' : 'Add', (reason, isTrial) => {
    const read = editor.read();
    return read && send(reason, [{ table, key: key.value, row: read.value }], isTrial);
  }, { focus: row ? editor.area : key });
}

export function removeRow(table, { key }) {
  dialog(`Remove a row of ${table}`, h('p', {}, 'The row ', h('code', {}, key), ' goes from the state. Its history stays.'), 'Remove',
    (reason, isTrial) => send(reason, [{ table, key, remove: true }], isTrial), { isDanger: true });
}

/** Undoes a commit. */
export function undoCommit({ version, action }) {
  dialog(`Undo commit ${number(version)}`, h('p', {}, 'The rows that ', h('code', {}, action), ' changed are again as before it, in a new commit.'), 'Undo',
    (reason, isTrial) => post(`${path()}${isTrial ? '?rehearse=1' : ''}`, { reason, undo: version }), { isDanger: true });
}

/** Saves all rows of a view as lines of JSON. */
export async function exportRows(view, note) {
  const lines = [];
  let after = '';
  do {
    const { items, next, total } = await get(`${space.path(view.replace('.', '/'))}?limit=${windowLimit}&total=1${after && `&after=${encodeURIComponent(after)}`}`, { isQuiet: true });
    for (const item of items) lines.push(JSON.stringify(item));
    after = next;
    note(`${number(lines.length)} of ${plural(total, 'row')}`);
  } while (after);
  const link = h('a', { href: URL.createObjectURL(new Blob([lines.join('\n'), '\n'], { type: 'application/x-ndjson' })), download: `${space.name}.${view}.ndjson` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1_000);
}

/** Adds or replaces the rows of a file with lines of JSON, `{"key", "row"}` each. */
export function importRows(table) {
  const file = h('input', { id: 'edit-file', type: 'file', required: true, accept: '.ndjson,.jsonl,.json' });
  const progress = h('p.quiet', { role: 'status' });
  dialog(`Import rows into ${table}`, [h('label', { for: 'edit-file' }, 'A file of lines {"key", "row"}'), file, progress], 'Import', async (reason, isTrial) => {
    const lines = (await file.files[0].text()).split('\n').filter((line) => line.trim());
    const edits = lines.map((line, place) => {
      try {
        const { key, row } = JSON.parse(line);
        return { table, key, row };
      } catch {
        throw new Error(`line ${place + 1} is not JSON`);
      }
    });
    let answer = null;
    for (let from = 0; from < edits.length; from += editsLimit) {
      answer = await send(reason, edits.slice(from, from + editsLimit), isTrial);
      setText(progress, `${number(Math.min(from + editsLimit, edits.length))} of ${plural(edits.length, 'row')}`);
      if (isTrial) break;
    }
    return answer;
  });
}

/** True if the account administers the server; without a token everything is open. */
export async function mayEdit(signal) {
  if (!token.value) return true;
  try {
    await get('/v1/subjects?limit=1', { signal, isQuiet: true });
    return true;
  } catch {
    return false;
  }
}
