// The playground of rules: the answer that a caller with other claims would get, and the rule that decided; and the reasons
// of requests that were refused or slow.

import { h, setText } from './dom.js';
import { curlLine } from './curl.js';
import { jsonEditor } from './editor.js';
import { inputFields } from './form.js';
import { featuresHere, space } from './space.js';
import { curlBox } from './tape.js';
import { get, post, Refusal, token } from './wire.js';

const kept = 'headwater.claims';
const written = (value) => JSON.stringify(value, null, 2);

/** Draws a part of a document that decided. */
const part = ({ kind, feature, pointer, place, text }) => h('span', {},
  { rule: 'the rule ', guard: 'the guard ', schema: 'the schema ', step: 'the step ', index: 'the index ' }[kind],
  pointer ? h('a', { href: `#/${encodeURIComponent(space.name)}/features/${encodeURIComponent(feature)}` }, `${feature}${pointer}`) : place ?? feature,
  text ? [': ', h('code', {}, text)] : []);

const uses = (used) => (used ? [h('p.quiet', {}, `Steps of expressions: ${used.steps ?? '–'}, rows: ${used.rows ?? '–'}.`)] : []);

/** The form that says why a request was refused, or slow. */
function reasons(signal) {
  const name = h('input', { id: 'reason-request', type: 'text', required: true, maxlength: '128', autocomplete: 'off', spellcheck: 'false', placeholder: 'X-Request-Id of its answer' });
  const problem = h('p.problem', { role: 'alert' }), told = h('div.stack', { 'aria-live': 'polite' });
  return h('section.card.stack', { 'aria-labelledby': 'reason-title' },
    h('h2', { id: 'reason-title' }, 'Why was a request refused, or slow?'),
    h('form.row', {
      'aria-label': 'Reason', onsubmit: async (event) => {
        event.preventDefault();
        setText(problem, '');
        told.replaceChildren();
        try {
          const why = await get(`/v1/requests/${encodeURIComponent(name.value.trim())}/why`, { signal });
          const { total, before, action, view } = why.milliseconds;
          told.replaceChildren(
            h('p', {}, h('b', {}, `${why.status} ${why.title ?? ''}`), ` ${why.name ?? why.path}${why.space ? ` in ${why.space}` : ''}, by ${why.by.sub || 'a caller without a name'}`),
            ...(why.reason ? [h('p', { data: { part: 'reason' } }, 'Decided by ', part(why.reason), '.')] : []),
            ...(why.detail ? [h('p', {}, why.detail)] : []),
            ...(why.pointer ? [h('p', {}, 'In the input: ', h('code', {}, why.pointer))] : []), ...uses(why.used),
            h('p.quiet', {}, `${total} ms${before === undefined ? '' : view === undefined ? `: ${before} before the action, ${action} in it` : `: ${before} before the view, ${view} for it`}.`));
        } catch (error) {
          if (!signal.aborted) setText(problem, error.message);
        }
      },
    }, h('label', { for: name.id }, 'Request'), name, h('button', { type: 'submit' }, 'Say why')), problem, told);
}

/** Returns the names of a view's parameters as they are written in `view=`. */
const named = (view, parameters) => {
  const query = new URLSearchParams(Object.entries(parameters).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]));
  return `${view}${query.size ? `?${query}` : ''}`;
};

export function draw(page, { index, signal, rest }) {
  const features = featuresHere(index);
  const subjects = new Map();
  for (const feature of features) {
    for (const view of feature.views) subjects.set(`view ${view.view}`, { view: view.view, parameters: view.parameters });
    for (const { name, parameters, right } of feature.actions) {
      if (right !== 'define') subjects.set(`action ${feature.name}/${name}`, { action: `${feature.name}/${name}`, parameters });
    }
  }
  const editor = jsonEditor('Claims', { rows: 6, onInput: () => drawLine() });
  editor.text = sessionStorage.getItem(kept) ?? written({ sub: 'ada' });
  const right = h('select', { id: 'rules-right' }, [['', 'by the grants, or act'], 'read', 'act', 'admin'].map((one) => {
    const [value, title] = [one].flat();
    return h('option', { value }, title ?? value);
  }));
  const group = (label, kind) => h('optgroup', { label }, [...subjects.keys()].filter((key) => key.startsWith(`${kind} `))
    .map((key) => h('option', { value: key }, key.slice(kind.length + 1))));
  const subject = h('select', { id: 'rules-subject', onchange: () => { choose(); outcome.replaceChildren(); } }, group('Views', 'view'), group('Actions', 'action'));
  const people = h('select', { id: 'rules-people', onchange: () => {
    if (people.value) editor.text = people.value === 'none' ? 'null' : written(JSON.parse(people.value));
    drawLine();
  } }, h('option', { value: '' }, 'write the claims'), h('option', { value: 'none' }, 'a caller without a token'));
  const fields = h('div.stack'), problem = h('p.problem', { role: 'alert' });
  const outcome = h('section.card.stack', { 'aria-live': 'polite', 'aria-label': 'Answer' });
  const line = curlBox('');
  const button = h('button.primary', { type: 'submit' }, 'Test the rules');
  let inputs = null;

  function choose() {
    const { parameters } = subjects.get(subject.value);
    inputs = inputFields(parameters ?? {});
    fields.replaceChildren(...inputs.elements);
    setText(problem, '');
    drawLine();
  }

  /** Returns the body of the request; `claims` is what the editor has. */
  function body(claims) {
    const { view, action } = subjects.get(subject.value);
    const value = inputs.value();
    return {
      token: claims, ...(right.value && { right: right.value }),
      ...(view ? { view: named(view, value ?? {}) } : { action, ...(value && { input: value }) }),
    };
  }

  function drawLine() {
    let claims;
    try {
      claims = JSON.parse(editor.text);
    } catch {
      claims = {};
    }
    line.set(curlLine('POST', space.path('rules:test'), { body: body(claims), hasToken: !!token.value }));
  }

  function show({ status, value, personal, problem: refused, reason, rules, used }) {
    const isGood = status === 200;
    outcome.replaceChildren(
      h('h2', {}, h(`span.verdict${isGood ? '.good' : '.bad'}`, {}, isGood ? 'Allowed' : 'Refused'), ` ${status}`),
      ...(refused ? [h('p', {}, refused.detail)] : []),
      ...(reason ? [h('p', { data: { part: 'reason' } }, 'Decided by ', part(reason), '.')] : []),
      ...(isGood && personal ? [h('p.quiet', {}, 'Each caller has a value of its own of this view.')] : []),
      ...(rules.length ? [h('h3', {}, 'Asked'), h('ul.plain', {}, rules.map((one) => h('li', {}, part(one))))] : [h('p.quiet', {}, 'No rule of the document was asked.')]),
      ...(isGood ? [h('h3', {}, 'Answer'), h('pre.answer', { tabindex: '0', role: 'region', 'aria-label': 'Value' }, written(value))] : []),
      ...uses(used));
  }

  const form = h('form.card.stack', {
    'aria-label': 'Rules', noValidate: true, oninput: drawLine,
    onsubmit: async (event) => {
      event.preventDefault();
      const read = editor.read();
      if (!read) return;
      setText(problem, '');
      sessionStorage.setItem(kept, editor.text);
      button.disabled = true;
      try {
        show(await post(space.path('rules:test'), body(read.value), { signal }));
      } catch (error) {
        if (signal.aborted) return;
        outcome.replaceChildren();
        if (error instanceof Refusal && error.problem.pointer?.startsWith('/token')) editor.markProblem(error.problem, read, '/token');
        else setText(problem, error.status === 403 ? 'Your token may not test rules: that needs the right admin for all spaces.' : error.message);
      }
      button.disabled = false;
    },
  },
  h('div.field', {}, h('label', { for: 'rules-people' }, 'Caller'), people), editor.element,
  h('div.field', {}, h('label', { for: 'rules-right' }, 'Right'), right),
  h('div.field', {}, h('label', { for: 'rules-subject' }, 'View or action'), subject),
  fields, problem, h('div.row', {}, button), line);

  page.append(
    h('h1', {}, 'Rules'),
    h('p.lead', {}, 'Choose who calls, and a view or an action: the answer that this caller would get from ', h('b', {}, space.name), ' now, and the rule that decided. Nothing is kept.'),
    subjects.size ? h('div.split', {}, form, outcome) : h('p.empty', {}, 'This space has no views and no actions.'), reasons(signal));
  if (!subjects.size) return;
  const wanted = rest.length > 1 ? `${rest[0]} ${rest.slice(1).join('/')}` : '';
  if (subjects.has(wanted)) subject.value = wanted;
  choose();
  get('/v1/subjects?limit=50', { signal, isQuiet: true }).then((told) => {
    for (const { subject: name } of told.subjects) if (name) people.append(h('option', { value: JSON.stringify({ sub: name }) }, name));
  }, () => {});
}
