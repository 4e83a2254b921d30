// The dialog for the token. The token is kept for the page's session only.

import { h, setText } from './dom.js';
import { get, token, wire } from './wire.js';
import { hurryAll } from './live.js';

let dialog = null;

function make() {
  const problem = h('p.problem', { id: 'token-problem', role: 'alert' });
  const input = h('input', {
    id: 'token', type: 'password', autocomplete: 'off', spellcheck: 'false', required: true, 'aria-describedby': 'token-hint token-problem',
  });
  const made = h('dialog.ask', { 'aria-labelledby': 'token-title' },
    h('form', {
      onsubmit: async (event) => {
        event.preventDefault();
        const before = token.value;
        token.value = input.value.trim();
        try {
          await get('/v1');
          input.value = '';
          made.close();
          hurryAll();
          wire.dispatchEvent(new Event('admitted'));
        } catch (error) {
          token.value = before;
          setText(problem, error.status === 401 ? 'The server refuses this token.' : `The token could not be tested: ${error.message}`);
          input.setAttribute('aria-invalid', 'true');
          input.select();
        }
      },
    },
    h('h2', { id: 'token-title' }, 'This server needs a token'),
    h('p', { id: 'token-hint' }, 'The browser keeps the token until you close this tab, and sends it to this server only.'),
    h('label', { for: 'token' }, 'Token'), input, problem,
    h('div.row', {}, h('button.primary', { type: 'submit' }, 'Use it'))));
  // Without a token there is no page to return to.
  made.addEventListener('cancel', (event) => event.preventDefault());
  document.body.append(made);
  return made;
}

wire.addEventListener('token', () => {
  dialog ??= make();
  if (!dialog.open) dialog.showModal();
});
