// Features as documents: edited, checked, tested, deployed.

import { h, press, reconcile, setText } from './dom.js';
import { curlLine } from './curl.js';
import { jsonEditor } from './editor.js';
import { actionForm } from './form.js';
import { brief, number, plural, shortened } from './format.js';
import { inspect } from './inspector.js';
import { readJSON } from './pointer.js';
import { space } from './space.js';
import { dataTable } from './table.js';
import { curlBox } from './tape.js';
import { ask, get, Refusal, token, wire } from './wire.js';

const checkPause = 700, namePattern = /^[a-z][A-Za-z0-9]{0,63}$/;

/** The document that a new feature begins with. */
const draft = (name) => ({
  feature: name, home: 'space',
  state: { notes: { table: { key: { type: 'string' }, row: { type: 'object', properties: { text: { type: 'string', minLength: 1, maxLength: 200 }, votes: { type: 'integer', default: 0 } }, required: ['text'] } } } },
  actions: {
    add: { input: { type: 'object', properties: { id: { type: 'string' }, text: { type: 'string', minLength: 1 } }, required: ['id', 'text'] },
      require: [{ that: '!(input.id in state.notes)', else: { status: 409, detail: 'note {input.id} exists already', pointer: '/id' } }],
      do: [{ put: 'notes', key: 'input.id', row: "{'text': input.text, 'votes': 0}" }] },
    vote: { input: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
      require: [{ that: 'input.id in state.notes', else: { status: 409, detail: 'there is no note {input.id}', pointer: '/id' } }],
      do: [{ update: 'notes', key: 'input.id', with: "{'votes': row.votes + 1}" }] },
  },
  views: { count: { expression: 'size(state.notes)' }, top: { from: 'notes', sort: ['-row.votes', 'key'], limit: 10 } },
  tests: [{ name: 'a vote counts', steps: [{ act: 'add', input: { id: 'a', text: 'first' } }, { act: 'vote', input: { id: 'a' } }, { expect: { [`${name}.count`]: 1 } }] }],
});

/** Writes a document with short values on one line. */
function pretty(value, indent = '') {
  const line = JSON.stringify(value, null, 1)?.replaceAll(/\n\s*/g, ' ') ?? 'null';
  if (value === null || typeof value !== 'object' || line.length + indent.length < 88 && indent) return line;
  const deeper = `${indent}  `;
  const parts = Array.isArray(value) ? value.map((one) => deeper + pretty(one, deeper))
    : Object.entries(value).map(([name, one]) => `${deeper}${JSON.stringify(name)}: ${pretty(one, deeper)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return parts.length ? `${open}\n${parts.join(',\n')}\n${indent}${close}` : open + close;
}

const path = (name) => `/v1/features/${encodeURIComponent(name)}`;

/** Asks before a feature is deleted; its state is dropped only if that is chosen. */
function deletion(name, onDeleted) {
  const problem = h('p.problem', { role: 'alert' });
  const drops = h('input', { id: 'feature-drop', type: 'checkbox' });
  const dialog = h('dialog.ask', { 'aria-labelledby': 'feature-delete-title', onclose: () => dialog.remove() },
    h('form', {
      onsubmit: async (event) => {
        event.preventDefault();
        try {
          await ask('DELETE', `${path(name)}${drops.checked ? '?state=drop' : ''}`);
          dialog.close();
          onDeleted();
        } catch (error) {
          setText(problem, error.message);
        }
      },
    },
    h('h2', { id: 'feature-delete-title' }, 'Delete the feature ', h('code', {}, name), '?'),
    h('p', {}, 'Its actions and views are gone from all spaces.'),
    h('label.check', { for: 'feature-drop' }, drops, 'Drop its state too, in all spaces'), problem,
    h('div.row', {}, h('button.danger', { type: 'submit' }, 'Delete the feature'), h('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel'))));
  document.body.append(dialog);
  dialog.showModal();
}

export function draw(page, { index: first, signal, rest }) {
  let index = first, features = [], chosen = null, isNew = false, etag = null, saved = '', turn = 0, timer = null;
  const list = h('ul.definitions', { 'aria-label': 'Features' });
  const problem = h('p.problem', { role: 'alert' }), refused = h('p.problem', { role: 'alert' });
  const title = h('h2', { id: 'feature-title' });
  const state = h('p.note', { role: 'status' });
  const results = h('div.results', { role: 'status' });
  const line = curlBox('');
  const editor = jsonEditor('Document', { rows: 26, onInput: () => { note(''); results.replaceChildren(); drawButtons(); soon(); } });
  const test = h('button', { type: 'button', onclick: () => runTests() }, 'Run tests');
  const deploy = h('button.primary', { type: 'button', onclick: () => put(false) }, 'Deploy');
  const over = h('button', { type: 'button', hidden: true, onclick: () => put(true) }, 'Deploy over it');
  const theirs = h('button', { type: 'button', hidden: true, onclick: () => choose(chosen) }, 'Load the deployed one');
  const remove = h('button.quiet', { type: 'button', onclick: () => deletion(chosen, () => { chosen = null; changed(); }) }, 'Delete…');
  const desk = h('section.card.stack', { 'aria-labelledby': 'feature-title' }, title, editor.element, state, refused,
    h('div.row', {}, test, deploy, over, theirs, remove), results, line);
  const live = h('section.stack', { 'aria-label': 'The deployed feature' });
  const name = h('input', { id: 'feature-name', autocomplete: 'off', spellcheck: 'false', autocapitalize: 'off', placeholder: 'board' });
  const named = h('p.problem', { role: 'alert' });
  const create = h('form.stack', { noValidate: true, 'aria-label': 'New feature', onsubmit: (event) => { event.preventDefault(); begin(); } },
    h('label', { for: 'feature-name' }, 'New feature'), h('div.row', {}, name, h('button', { type: 'submit' }, 'Write')), named);
  page.append(
    h('h1', {}, 'Features'),
    h('p.lead', {}, 'A feature is a document: state, actions, views and tests. It is checked while you write, and deployed without a restart.'),
    problem,
    h('div.workbench', {}, h('section.stack', { 'aria-label': 'List' }, list, create), desk), live);
  desk.hidden = true;

  const note = (text) => setText(state, text);
  const isDocument = () => isNew || features.find((one) => one.name === chosen)?.form === 'document';

  function drawButtons() {
    const isEdited = editor.text !== saved;
    deploy.disabled = !isNew && !isEdited;
    setText(deploy, isNew ? 'Deploy' : isEdited ? 'Deploy the changes' : 'Deployed');
    remove.hidden = isNew;
    press(list, chosen);
  }

  // MARK: The list

  async function load() {
    try {
      ({ features } = await get('/v1/features', { signal, isQuiet: true }));
      setText(problem, '');
    } catch (error) {
      if (!signal.aborted) setText(problem, error.message);
      return;
    }
    // Documents come first, because they can be edited.
    features.sort((one, other) => (one.form === 'document' ? 0 : 1) - (other.form === 'document' ? 0 : 1));
    reconcile(list, features, (one) => one.name,
      (one) => h('li', {}, h('button', { type: 'button', onclick: () => choose(one.name) }, h('span.name', {}, one.name), h('code'))),
      (element, one) => setText(element.querySelector('code'), `${one.form === 'document' ? 'document' : 'Swift'}${one.home === 'common' ? ', common' : ''}`));
    const wanted = features.find((one) => one.name === (chosen ?? rest[0])) ?? features.find((one) => one.form === 'document') ?? features[0];
    if (!chosen && wanted) await choose(wanted.name);
    drawButtons();
  }

  /** After a deployment: the server has other features. */
  async function changed() {
    wire.dispatchEvent(new Event('deployed'));
    await load();
  }

  function begin() {
    const wanted = name.value.trim();
    const fault = !namePattern.test(wanted) ? 'A name begins with a small letter, and has letters and digits.'
      : features.some((one) => one.name === wanted) ? 'There is such a feature already.' : '';
    setText(named, fault);
    name.toggleAttribute('aria-invalid', false);
    if (fault) return name.setAttribute('aria-invalid', 'true');
    name.value = '';
    turn += 1;
    [chosen, isNew, etag, saved] = [wanted, true, null, ''];
    open(draft(wanted));
    editor.area.focus();
  }

  async function choose(wanted) {
    const mine = (turn += 1);
    try {
      const { value, headers } = await ask('GET', path(wanted), { signal, isQuiet: true });
      if (mine !== turn) return;
      [chosen, isNew, etag] = [wanted, false, headers.get('ETag')];
      history.replaceState(null, '', `#/${encodeURIComponent(space.name)}/features/${wanted}`);
      open(value);
    } catch (error) {
      if (!signal.aborted) setText(problem, error.message);
    }
  }

  function open(document) {
    clearTimeout(timer);
    const text = pretty(document);
    setText(title, chosen);
    editor.text = text;
    editor.area.setSelectionRange(0, 0);
    editor.area.scrollTop = 0;
    if (!isNew) saved = text;
    desk.hidden = false;
    editor.area.readOnly = !isDocument();
    test.hidden = deploy.hidden = !isDocument();
    note(isDocument() ? '' : 'This feature is written in Swift: it is part of the program.');
    setText(refused, '');
    results.replaceChildren();
    over.hidden = theirs.hidden = true;
    drawButtons();
    if (!isDocument()) remove.hidden = true;
    line.set(curlLine('GET', path(chosen), { hasToken: !!token.value }));
    drawLive();
    if (isNew) check();
  }

  // MARK: Checks and tests

  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(check, checkPause);
  };

  /** Marks the faults of a refused document at their places. Returns false if the problem names no place. */
  function mark(error, read) {
    if (!(error instanceof Refusal) || error.status !== 422) return false;
    const faults = error.problem.errors?.length ? error.problem.errors : [error.problem];
    editor.markProblem({ ...faults[0], others: faults.slice(1) }, read);
    note(plural(faults.length, 'fault'));
    return true;
  }

  /** Checks the document without its tests. */
  async function check() {
    if (!isDocument()) return;
    const text = editor.text, mine = turn, read = readJSON(text);
    if (read.fault) return void editor.read();
    try {
      const { tests, ...document } = read.value ?? {};
      await ask('POST', '/v1/features:test', { body: read.value && typeof read.value === 'object' && !Array.isArray(read.value) ? document : read.value, signal, isQuiet: true });
      if (editor.text === text && mine === turn) note('No faults.');
    } catch (error) {
      if (signal.aborted || editor.text !== text || mine !== turn) return;
      if (!mark(error, read)) note('');
    }
  }

  async function runTests() {
    clearTimeout(timer);
    const read = editor.read();
    if (!read) return;
    test.disabled = true;
    results.replaceChildren();
    try {
      const began = performance.now();
      const { value } = await ask('POST', '/v1/features:test', { body: read.value, signal });
      const took = performance.now() - began;
      editor.mark([]);
      drawResults(value, read, took);
    } catch (error) {
      if (!signal.aborted && !mark(error, read)) setText(refused, error.message);
    }
    test.disabled = false;
  }

  function drawResults({ passed, failed }, read, took = null) {
    note('');
    const all = passed + failed.length;
    results.replaceChildren(
      h(`p.verdict${failed.length ? '.bad' : ''}`, {}, all === 0 ? 'The document has no tests.' : failed.length ? `${number(failed.length)} of ${plural(all, 'test')} failed.` : `${all === 1 ? 'The test' : `All ${number(all)} tests`} passed`,
        all && !failed.length && took !== null ? `, in ${took.toFixed(0)} ms.` : ''),
      h('ul', {}, failed.map(({ name: told, detail }) => h('li', {}, h('b', {}, told), `: ${detail}`))));
    if (failed.length) editor.markProblem({ ...failed[0], others: failed.slice(1) }, read);
  }

  // MARK: Deployment

  async function put(isForced) {
    clearTimeout(timer);
    const read = editor.read();
    if (!read) return;
    setText(refused, '');
    over.hidden = theirs.hidden = true;
    deploy.disabled = true;
    const headers = isForced ? {} : isNew ? { 'If-None-Match': '*' } : etag ? { 'If-Match': etag } : {};
    line.set(curlLine('PUT', path(chosen), { body: read.value, headers, hasToken: !!token.value }));
    try {
      const answer = await ask('PUT', path(chosen), { body: read.value, headers });
      [isNew, etag, saved] = [false, answer.headers.get('ETag'), editor.text];
      editor.mark([]);
      results.replaceChildren();
      note(`Deployed, with version ${answer.value.version} of common. All spaces have it.`);
      await changed();
    } catch (error) {
      if (error.status === 412) {
        setText(refused, 'Somebody has deployed another document under this name since you loaded it.');
        over.hidden = theirs.hidden = false;
      } else if (!mark(error, read)) {
        setText(refused, error.message);
      }
    }
    drawButtons();
  }

  // MARK: The deployed feature

  let shown = null;
  function drawLive() {
    shown?.abort();
    const { signal: own } = (shown = new AbortController());
    const feature = isNew ? null : index.features.find((one) => one.name === chosen);
    live.replaceChildren();
    if (!feature) return;
    const values = new Map();
    live.append(h('h2', {}, 'In ', h('b', {}, space.name)));
    const views = feature.views.filter(({ parameters }) => !parameters?.required?.length);
    live.append(h('div.cards', {},
      h('section.card', { 'aria-label': 'Views' }, h('h3', {}, 'Views'), feature.views.length ? h('ul.views', {}, feature.views.map(({ name: short, view }) => {
        const value = h('span.value', {}, views.some((one) => one.view === view) ? '…' : 'needs parameters');
        if (views.some((one) => one.view === view)) values.set(view, value);
        return h('li', {}, h('button', { type: 'button', onclick: () => inspect(view, signal) }, h('span.name', {}, short), value));
      })) : h('p.quiet', {}, 'None.')),
      h('section.card', { 'aria-label': 'State' }, h('h3', {}, 'State'), feature.variables?.length ? h('dl.pairs', {}, feature.variables.map(({ name: variable, changesByEntry }) => [
        h('dt', {}, variable.slice(feature.name.length + 1)), h('dd.quiet', {}, changesByEntry ? 'a table' : 'a value')])) : h('p.quiet', {}, 'None.')),
      ...feature.actions.map((action) => actionForm(action, feature.name))));
    const drawValues = () => { for (const [view, element] of values) setText(element, brief(space.views[view])); };
    space.watch([`${feature.name}.`], AbortSignal.any([own, signal]), drawValues);
    drawProblems(feature.name, own);
    drawPlan(feature.name, own);
  }

  /** The indexes by which the document finds its rows, and the tables that it walks. */
  async function drawPlan(feature, own) {
    if (!isDocument()) return;
    try {
      const { plan } = await get(`${path(feature)}/plan`, { signal: own, isQuiet: true });
      const rows = plan.filter(({ index, walk }) => index || walk)
        .map(({ pointer, index, walk }) => ({ place: pointer, finds: walk ? `walks ${walk}` : `index ${index}`, mend: walk && index ? JSON.stringify(index) : '' }));
      if (own.aborted || !rows.length) return;
      const table = dataTable('Plan');
      table.set(rows);
      live.append(h('h2', {}, 'Plan'), h('p.quiet', {}, 'How each view, rule, guard and loop finds its rows. A walk costs each row of its table.'), table.element);
    } catch (error) {
      if (!own.aborted && error.status !== 404) setText(problem, error.message);
    }
  }

  /** The spaces whose state could not be migrated. */
  async function drawProblems(feature, own) {
    if (!isDocument()) return;
    try {
      const told = await get(`${path(feature)}/problems`, { signal: own, isQuiet: true });
      const rows = told.problems ?? told.spaces ?? [];
      if (own.aborted || !rows.length) return;
      const table = dataTable('Problems');
      table.set(rows);
      live.append(h('h2', {}, 'Problems'), h('p.quiet', {}, 'In these spaces the state could not be migrated.'), table.element);
    } catch (error) {
      if (!own.aborted && error.status !== 404) setText(problem, error.message);
    }
  }

  wire.addEventListener('index', ({ detail }) => {
    index = detail;
    drawLive();
  }, { signal });
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    shown?.abort();
  });
  load();
}
