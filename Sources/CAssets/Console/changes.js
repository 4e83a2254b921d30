// The live list of commits.

import { h, reconcile, setText } from './dom.js';
import { curlLine } from './curl.js';
import { mayEdit, undoCommit } from './edit.js';
import { plural, shortened, since, time } from './format.js';
import { commits, featuresHere, isOffered, space } from './space.js';
import { curlBox } from './tape.js';
import { token } from './wire.js';

const pageSize = 100, allSize = 10_000;

function entry(commit, index, mayUndo) {
  const facts = h('div.facts');
  const details = h('details.commit', {
    ontoggle: () => {
      if (!details.open || facts.childElementCount) return;
      facts.append(
        h('h4', {}, 'Input'), h('pre', { tabindex: '0', 'aria-label': 'Input' }, JSON.stringify(commit.input, null, 2)),
        h('h4', {}, 'Facts'),
        h('dl', {}, Object.entries(commit.changed).map(([name, value]) => [
          h('dt', {}, name, commit.partial?.includes(name) ? h('span.tag', { title: 'Only the entries that changed' }, 'by entry') : null),
          h('dd', {}, h('pre', { tabindex: '0', 'aria-label': `New value of ${name}` }, JSON.stringify(value, null, 2)))])),
        mayUndo() ? h('button', { type: 'button', onclick: () => undoCommit(commit) }, 'Undo…') : null,
        curlBox(curlLine('GET', `${space.path('changes')}?since=${commit.version - 1}`, { hasToken: !!token.value })));
    },
  },
  h('summary', {},
    h('span.version', {}, String(commit.version)), h('time', { datetime: commit.at, title: `${commit.at}, ${since(commit.at)}` }, time(commit.at)),
    h('span', {}, h('code.action-name', {}, commit.action),
      isOffered(index, commit.action) ? null : h('span.tag', { title: 'Performed by an effect of the server only; clients cannot post it' }, 'effect'),
      commit.by?.sub ? h('span.tag', { title: 'The subject that sent the action' }, commit.by.sub) : null),
    h('code.input', {}, shortened(JSON.stringify(commit.input), 80)),
    h('span.changed', {}, Object.keys(commit.changed).join(', '))),
  facts);
  return h('li', {}, details);
}

export function draw(page, { index, signal }) {
  const list = h('ol.log', { reversed: true, 'aria-label': 'Commits, newest first' });
  const count = h('p.quiet', { role: 'status' });
  const words = h('input', { id: 'changes-words', type: 'search', placeholder: 'action, input, variable…', autocomplete: 'off' });
  const feature = h('select', { id: 'changes-feature' }, h('option', { value: '' }, 'every feature'), featuresHere(index).map(({ name }) => h('option', { value: name }, name)));
  const following = h('input', { id: 'changes-following', type: 'checkbox', checked: true });
  let held = null, isAdmin = false;
  mayEdit(signal).then((may) => { isAdmin = may; });
  const isMeant = (commit) => {
    if (feature.value && !commit.action.startsWith(`${feature.value}/`)) return false;
    const wanted = words.value.trim().toLowerCase();
    if (!wanted) return true;
    commit.text ??= JSON.stringify([commit.action, commit.by?.sub, commit.input, commit.changed, commit.version]).toLowerCase();
    return commit.text.includes(wanted);
  };
  let isDue = false;
  const problem = h('p.problem', { role: 'alert' });
  const older = h('button', { type: 'button', onclick: () => loadOlder(pageSize) }, 'Older commits');
  const oldest = h('button', { type: 'button', onclick: () => loadOlder(allSize) }, 'All');
  const end = h('p.quiet');
  async function loadOlder(size) {
    older.disabled = oldest.disabled = true;
    try {
      // A page of an answer has at most 10,000 commits.
      await commits.loadOlder(size);
      if (held) held = [...commits.list];
      setText(problem, '');
    } catch (error) {
      setText(problem, error.message);
    }
    older.disabled = oldest.disabled = false;
    redraw();
  }
  const redraw = () => {
    isDue = false;
    if (signal.aborted) return;
    const all = following.checked ? commits.list : held;
    const meant = all.filter(isMeant);
    reconcile(list, meant, (commit) => commit.version, (commit) => entry(commit, index, () => isAdmin));
    const more = commits.list.length - all.length;
    setText(count, all.length === 0 ? 'This space has no commits yet.'
      : `${meant.length === all.length ? plural(all.length, 'commit') : `${meant.length} of ${plural(all.length, 'commit')}`}, newest first`
        + (more > 0 ? `; ${more} more have come.` : '.'));
    const first = all.at(-1)?.version ?? 0, isEnd = first - 1 <= commits.oldest;
    older.hidden = oldest.hidden = !all.length || isEnd;
    setText(end, !all.length || !isEnd ? '' : commits.oldest ? `Commits up to version ${commits.oldest} are no longer stored.` : 'This is the first commit.');
    setText(oldest, `All ${plural(first - 1 - commits.oldest, 'older commit')}`);
  };
  const soon = () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(redraw);
  };
  following.addEventListener('change', () => {
    held = following.checked ? null : [...commits.list];
    redraw();
  });
  words.addEventListener('input', redraw);
  feature.addEventListener('change', redraw);
  page.append(
    h('h1', {}, 'Changes'),
    h('p.lead', {}, 'Every commit of ', h('b', {}, space.name), ' in order. Select one for its details.'),
    h('div.row.filters', {},
      h('label', { for: 'changes-words' }, 'Filter'), words, h('label.hidden', { for: 'changes-feature' }, 'Feature'), feature,
      h('label.check', { for: 'changes-following' }, following, 'Follow')),
    count, list, problem, h('div.row', {}, older, oldest, end),
    curlBox(curlLine('GET', `${space.path('changes')}?since=0`, { events: true, hasToken: !!token.value })));
  commits.follow(signal);
  commits.addEventListener('commit', soon, { signal });
  redraw();
}
