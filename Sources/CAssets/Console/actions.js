// A form for each action that the server has.

import { h } from './dom.js';
import { actionForm } from './form.js';
import { featuresHere, space } from './space.js';

export function draw(page, { index, rest }) {
  const features = featuresHere(index).filter((feature) => feature.actions.length);
  page.append(
    h('h1', {}, 'Actions'),
    h('p.lead', {}, 'All actions that can change the state of ', h('b', {}, space.name), ' from ', h('code', {}, 'GET /v1'), '.'),
    h('nav.jump', { 'aria-label': 'Features' }, features.map(({ name }) => h('a', {
      href: `#/${encodeURIComponent(space.name)}/actions/${name}`,
      onclick: (event) => {
        event.preventDefault();
        document.getElementById(`actions-${name}`).scrollIntoView({ block: 'start' });
      },
    }, name))),
    ...features.map((feature) => h('section', { 'aria-labelledby': `actions-${feature.name}` },
      h('h2', { id: `actions-${feature.name}` }, feature.name, feature.home === 'common' ? h('span.tag', {}, 'common') : null),
      feature.home === 'common' ? h('p.quiet', {}, 'This feature is in the space common. Views of all spaces derive from it.') : null,
      h('div.cards', {}, feature.actions.map((action) => actionForm(action, feature.name))))));
  if (rest[0]) requestAnimationFrame(() => document.getElementById(`actions-${rest[0]}`)?.scrollIntoView());
}
