// The time line: the versions of the space, and what changed between two of them.

import { h, reconcile, setText } from './dom.js';
import { plural, shortened, since } from './format.js';
import { commits, space } from './space.js';
import { get } from './wire.js';

let leaving = new AbortController();

/** One change of a view, as a line of text. */
const line = ({ op, path, from, value }) =>
  `${op} ${path || 'the value'}${from === undefined ? '' : ` from ${from}`}${value === undefined ? '' : `: ${shortened(JSON.stringify(value), 120)}`}`;

export function closeTimeLine(panel) {
  leaving.abort();
  panel.replaceChildren();
  space.show(null);
}

export function openTimeLine(panel) {
  const { signal } = (leaving = new AbortController());
  const { name } = space;
  const slider = h('input', { id: 'time-version', type: 'range', min: '0', max: '0', step: '1', value: '0' });
  const told = h('output', { for: 'time-version' });
  const from = h('input', { id: 'time-from', type: 'number', min: '0', step: '1', inputmode: 'numeric' });
  const present = h('button', { type: 'button', onclick: () => go(null) }, 'Present');
  const problem = h('p.problem', { role: 'alert' });
  const summary = h('p.quiet', { role: 'status' });
  const changes = h('ul.patches', { 'aria-label': 'What changed' });
  let isBusy = false;
  /** The version to show next: a number, or null for the present; undefined for none. */
  let wanted;
  /** True if the user chose the version to compare with. */
  let isChosen = false;

  const newest = () => Number(slider.max);
  const shown = () => space.at ?? newest();
  const describe = (time) => {
    const commit = commits.list.find(({ version }) => version === shown());
    const at = commit?.at ?? time;
    const words = space.at === null ? `the present, version ${newest()}` : `version ${space.at} of ${newest()}`;
    setText(told, [words, commit?.action, at && since(at)].filter(Boolean).join(', '));
    slider.setAttribute('aria-valuetext', told.textContent);
    present.disabled = space.at === null;
  };

  const compare = async () => {
    const to = shown();
    if (!isChosen) from.value = String(Math.max(Number(slider.min), to - 1));
    if (from.value === '') return;
    try {
      const patches = Object.entries(await get(`${space.path('views')}/diff?from=${from.value}&to=${to}`, { isQuiet: true }));
      if (signal.aborted || to !== shown()) return;
      setText(summary, patches.length
        ? `Between version ${from.value} and version ${to}, ${plural(patches.length, 'view')} changed.`
        : `No view changed between version ${from.value} and version ${to}.`);
      changes.replaceChildren();
      reconcile(changes, patches, ([view]) => view, ([view, operations]) =>
        h('li', {}, h('code', {}, view), h('ul', {}, operations.slice(0, 20).map((one) => h('li', {}, line(one))),
          operations.length > 20 ? h('li', {}, `and ${operations.length - 20} more`) : null)));
    } catch (error) {
      setText(summary, '');
      changes.replaceChildren();
      setText(problem, error.message);
    }
  };

  /** Shows a version. While one is loading, only the last wanted one is loaded next. */
  const go = async (version) => {
    wanted = version;
    if (isBusy) return;
    isBusy = true;
    while (wanted !== undefined && !signal.aborted) {
      const next = wanted;
      wanted = undefined;
      setText(problem, '');
      try {
        const time = await space.show(next);
        if (next === null) slider.value = slider.max;
        describe(time);
      } catch (error) {
        // The oldest versions are gone.
        if (error.status === 410 && error.problem?.oldest !== undefined) {
          slider.min = String(error.problem.oldest);
          from.min = slider.min;
        }
        setText(problem, error.message);
      }
    }
    isBusy = false;
    await compare();
  };

  const follow = () => {
    const isLast = space.at === null;
    slider.max = String(commits.version);
    from.max = slider.max;
    if (isLast) slider.value = slider.max;
    describe();
    if (isLast) compare();
  };
  slider.addEventListener('input', () => go(Number(slider.value)));
  from.addEventListener('change', () => {
    isChosen = from.value !== '';
    setText(problem, '');
    compare();
  });
  panel.replaceChildren(
    h('div.row', {}, h('label', { for: 'time-version' }, 'Version'), slider, present),
    h('p', {}, told),
    h('div.row', {}, h('label', { for: 'time-from' }, 'Compare with version'), from),
    problem, summary, changes);
  commits.follow(signal);
  commits.addEventListener('commit', follow, { signal });
  // Another space has other versions.
  space.addEventListener('time', () => {
    if (space.name === name) return;
    leaving.abort();
    openTimeLine(panel);
  }, { signal });
  if (commits.version) follow();
}
