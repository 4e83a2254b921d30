// Confetti, unless the user prefers reduced motion.

import { h, prefersStillness } from './dom.js';

const pieces = 90, lifetime = 2600;
const colours = ['#0b6b7d', '#5cc8da', '#ffae57', '#b84a06', '#7fd898', '#e7c65a'];

export function celebrate(parent) {
  if (prefersStillness()) return;
  const air = h('div.confetti', { 'aria-hidden': 'true' });
  for (let piece = 0; piece < pieces; piece += 1) {
    const paper = h('i');
    paper.style.background = colours[piece % colours.length];
    paper.style.left = `${50 + (Math.random() - 0.5) * 30}%`;
    air.append(paper);
    const x = (Math.random() - 0.5) * 700, up = -120 - Math.random() * 260, turn = Math.random() * 1080;
    paper.animate([
      { transform: 'translate(0, 0) rotate(0)', opacity: 1 },
      { transform: `translate(${x * 0.6}px, ${up}px) rotate(${turn / 2}deg)`, opacity: 1, offset: 0.35, easing: 'ease-in' },
      { transform: `translate(${x}px, 420px) rotate(${turn}deg)`, opacity: 0 },
    ], { duration: lifetime * (0.7 + Math.random() * 0.3), easing: 'cubic-bezier(.2,.7,.5,1)', fill: 'forwards' });
  }
  parent.append(air);
  setTimeout(() => air.remove(), lifetime);
}
