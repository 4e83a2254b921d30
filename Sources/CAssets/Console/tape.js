// The strip at the foot of the page: its requests as curl lines.

import { h, setText } from './dom.js';
import { record, wire } from './wire.js';

async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    setText(button, 'Copied');
  } catch {
    // Without access to the clipboard the page selects the text.
    const range = document.createRange();
    range.selectNodeContents(button.previousElementSibling);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    setText(button, 'Selected');
  }
  setTimeout(() => setText(button, 'Copy'), 1200);
}

/** A curl line with a copy button. `set` changes the text. */
export function curlBox(line) {
  const code = h('code', { tabindex: '0', role: 'textbox', 'aria-readonly': 'true', 'aria-label': 'curl line' }, line);
  const button = h('button.quiet', { type: 'button', 'aria-label': 'Copy the curl line', onclick: () => copy(code.textContent, button) }, 'Copy');
  const box = h('div.curl', {}, code, button);
  box.set = (text) => setText(code, text);
  return box;
}

const statusText = (entry) => (entry.status === 'stream' ? 'stream' : entry.status === 'away' ? 'no answer' : String(entry.status));
const isBad = (entry) => entry.status === 'away' || entry.status >= 400;

function row(entry) {
  return h('li', {},
    h(`span.code${isBad(entry) ? '.bad' : ''}`, {}, statusText(entry)),
    h('span.took', {}, entry.milliseconds === null ? '' : `${entry.milliseconds.toFixed(entry.milliseconds < 10 ? 1 : 0)} ms`),
    curlBox(entry.line),
    h('span.times', {}, entry.count > 1 ? `× ${entry.count}` : ''));
}

export function beginTape(foot) {
  const last = h('code.last');
  const list = h('ol', { id: 'tape-list' });
  const details = h('details', {
    ontoggle: () => { if (details.open) list.replaceChildren(...record.map(row)); },
  }, h('summary', {}, h('span.lead', {}, 'On the wire'), last), list);
  foot.append(details);
  wire.addEventListener('asked', ({ detail: entry }) => {
    if (!entry.isQuiet) setText(last, `${entry.line}`);
    if (!details.open) return;
    if (entry.count > 1 && list.firstElementChild) list.firstElementChild.replaceWith(row(entry));
    else list.prepend(row(entry));
    while (list.childElementCount > record.length) list.lastElementChild.remove();
  });
}
