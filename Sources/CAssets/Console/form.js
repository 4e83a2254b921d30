// Forms made from the parameters in the index.

import { h, setText } from './dom.js';
import { curlLine } from './curl.js';
import { space } from './space.js';
import { curlBox } from './tape.js';
import { post, token } from './wire.js';

let made = 0;

const typeOf = (schema) => {
  if (schema.enum) return 'choice';
  const type = schema.type ?? schema.anyOf?.find((one) => one.type !== 'null')?.type ?? schema.anyOf?.find((one) => one.enum)?.type;
  return Array.isArray(type) ? type.find((one) => one !== 'null') : type;
};
const choicesOf = (schema) => schema.enum ?? (schema.anyOf?.some((one) => one.enum) ? schema.anyOf.flatMap((one) => one.enum ?? []) : undefined);

/** Describes the values of a field in a few words. */
export function demand(schema, isRequired) {
  const words = [];
  const type = typeOf(schema);
  if (type === 'integer') words.push('a whole number');
  else if (type === 'number') words.push('a number');
  const low = schema.minimum ?? schema.exclusiveMinimum, high = schema.maximum ?? schema.exclusiveMaximum;
  if (low !== undefined && high !== undefined) {
    words.push(`${schema.exclusiveMinimum === undefined ? '' : 'above '}${low} to ${schema.exclusiveMaximum === undefined ? '' : 'below '}${high}`);
  } else if (low !== undefined) words.push(`from ${low}`);
  else if (high !== undefined) words.push(`up to ${high}`);
  if (schema.multipleOf && schema.multipleOf < 1) words.push(`in steps of ${schema.multipleOf}`);
  if (schema.maxLength) words.push(`up to ${schema.maxLength} characters`);
  if (!isRequired) words.push('optional');
  return words.join(', ');
}

function control(schema, id) {
  const choices = choicesOf(schema);
  if (choices) return h('select', { id }, h('option', { value: '' }, '–'), choices.map((one) => h('option', { value: JSON.stringify(one) }, String(one))));
  const type = typeOf(schema);
  if (type === 'boolean') return h('select', { id }, h('option', { value: '' }, '–'), h('option', { value: 'true' }, 'true'), h('option', { value: 'false' }, 'false'));
  if (type === 'integer' || type === 'number') {
    return h('input', {
      id, type: 'number', inputmode: type === 'integer' ? 'numeric' : 'decimal', autocomplete: 'off', step: 'any',
      min: schema.minimum === undefined ? undefined : String(schema.minimum), max: schema.maximum === undefined ? undefined : String(schema.maximum),
    });
  }
  if (type === 'object' || type === 'array' || type === undefined) return h('textarea', { id, rows: 3, spellcheck: 'false', placeholder: type === 'array' ? '[]' : '{}' });
  return h('input', { id, type: 'text', autocomplete: 'off', maxlength: undefined });
}

/** Returns the input as JSON, or nothing for an empty field. */
function valueOf(field) {
  const text = field.control.value;
  if (text === '') return undefined;
  const type = typeOf(field.schema);
  if (choicesOf(field.schema) || type === 'boolean') return JSON.parse(text);
  if (type === 'integer' || type === 'number') return Number.isFinite(Number(text)) ? Number(text) : text;
  if (type === 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    // Text that is not JSON is sent as a string; the server reports the fault.
    return text;
  }
}

/** Shows a refusal at its field, or below the form. */
export function showRefusal(error, fields, foot) {
  for (const field of fields) {
    setText(field.problem, '');
    field.control.removeAttribute('aria-invalid');
  }
  if (!error) return setText(foot, '');
  const pointer = error.problem?.pointer ?? '';
  const field = fields.find(({ name }) => pointer === `/${name}` || pointer.startsWith(`/${name}/`));
  const allowed = error.problem?.allowed?.length ? ` Allowed: ${error.problem.allowed.join(', ')}.` : '';
  if (!field) return setText(foot, `${error.message}.${allowed}`.replace('..', '.'));
  setText(foot, '');
  setText(field.problem, `${error.message}.${allowed}`.replace('..', '.'));
  field.control.setAttribute('aria-invalid', 'true');
  field.control.focus();
}

/** The fields of an input: `elements` to show, and `value()`, which is nothing for an input without members. */
export function inputFields(parameters) {
  const number = (made += 1);
  const required = new Set(parameters.required ?? []);
  const fields = Object.entries(parameters.properties ?? {}).map(([name, schema]) => {
    const id = `field-${number}-${name}`;
    return { name, schema, control: control(schema, id), problem: h('p.problem', { id: `${id}-problem`, role: 'alert' }), id };
  });
  const elements = fields.map((field) => {
    const words = demand(field.schema, required.has(field.name));
    field.control.setAttribute('aria-describedby', `${field.id}-hint ${field.problem.id}`);
    if (required.has(field.name)) field.control.setAttribute('aria-required', 'true');
    return h('div.field', {}, h('label', { for: field.id }, field.name), field.control, h('p.hint', { id: `${field.id}-hint` }, words), field.problem);
  });
  const value = () => {
    const found = {};
    for (const field of fields) {
      const one = valueOf(field);
      if (one !== undefined) found[field.name] = one;
    }
    return fields.length ? found : undefined;
  };
  return { fields, elements, value };
}

/** The form of one action. */
export function actionForm(action, feature, { isOpen = true } = {}) {
  const { fields, elements, value: body } = inputFields(action.parameters);
  const outcome = h('output.outcome'), foot = h('p.problem', { role: 'alert' });
  const path = () => action.path.replace('{space}', encodeURIComponent(space.name));
  const line = curlBox('');
  const drawLine = () => line.set(curlLine('POST', path(), { body: body(), hasToken: !!token.value }));
  const button = h('button.primary', { type: 'submit' }, action.name);
  const form = h('form.action', {
    noValidate: true, 'aria-label': `${feature} ${action.name}`, oninput: drawLine,
    onsubmit: async (event) => {
      event.preventDefault();
      button.disabled = true;
      try {
        const answer = await post(path(), body());
        showRefusal(null, fields, foot);
        setText(outcome, answer.changed.length ? `version ${answer.version}: changed ${answer.changed.join(', ')}` : `version ${answer.version}: changed nothing`);
      } catch (error) {
        setText(outcome, '');
        showRefusal(error, fields, foot);
      }
      button.disabled = false;
    },
  },
  h('h3', {}, action.name, action.right === 'act' ? null : h('span.tag', {}, action.right)),
  elements, foot, h('div.row', {}, button, outcome), line);
  drawLine();
  return form;
}
