// Common parts of the systems' pages: buttons that perform actions, and their refusals.

import { h, setText } from './dom.js';
import { shortened } from './format.js';
import { space } from './space.js';
import { post } from './wire.js';

export const actionPath = (action, home = space.name) => `/v1/spaces/${encodeURIComponent(home)}/${action}`;

/** The place for the reason of a refusal. */
export function refusals() {
  const element = h('p.problem', { role: 'alert' });
  let timer;
  return {
    element,
    say(error) {
      clearTimeout(timer);
      setText(element, error ? `${shortened(error.message, 300)}.`.replace('..', '.') : '');
      if (error) timer = setTimeout(() => setText(element, ''), 8000);
    },
  };
}

/** Performs an action and shows a refusal at the given place. Returns true on success. */
export async function perform(action, body, place, { home } = {}) {
  try {
    const answer = await post(actionPath(action, home), body);
    place?.say(null);
    return answer;
  } catch (error) {
    place?.say(error);
    return null;
  }
}

/** A form with one line of fields: `perform` gets the inputs, and its refusal is shown at the field. */
export function lineForm(label, fields, submit, onSubmit) {
  const foot = h('p.problem', { role: 'alert' });
  const controls = fields.map((field) => {
    const id = `${label.replaceAll(/\W+/g, '-').toLowerCase()}-${field.name}`;
    const problem = h('p.problem', { id: `${id}-problem`, role: 'alert' });
    const control = h('input', {
      id, name: field.name, type: field.type ?? 'text', autocomplete: 'off', placeholder: field.placeholder, step: field.type === 'number' ? 'any' : undefined,
      min: field.min, value: field.value, 'aria-describedby': problem.id, spellcheck: 'false',
    });
    return { ...field, control, problem, id };
  });
  const button = h('button.primary', { type: 'submit' }, submit);
  const form = h('form.line', {
    noValidate: true, 'aria-label': label,
    onsubmit: async (event) => {
      event.preventDefault();
      for (const { control, problem } of controls) {
        setText(problem, '');
        control.removeAttribute('aria-invalid');
      }
      setText(foot, '');
      const values = {};
      for (const { name, control, type } of controls) {
        if (control.value !== '') values[name] = type === 'number' ? Number(control.value) : control.value;
        else if (type !== 'number') values[name] = '';
      }
      button.disabled = true;
      try {
        await onSubmit(values);
        for (const { control, isKept } of controls) if (!isKept) control.value = '';
      } catch (error) {
        const at = controls.find(({ name }) => error.problem?.pointer === `/${name}`);
        setText(at ? at.problem : foot, error.message);
        at?.control.setAttribute('aria-invalid', 'true');
        at?.control.focus();
      }
      button.disabled = false;
    },
  }, controls.map(({ label: text, id, control, problem }) => h('div.field', {}, h('label', { for: id }, text), control, problem)), button, foot);
  return form;
}
