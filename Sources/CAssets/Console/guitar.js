// A guitar, drawn from its parts.

import { s } from './dom.js';

const bodies = {
  casual: 'M40 120C36 68 82 40 132 52C162 58 172 66 198 57C220 49 244 47 266 65C264 79 244 85 236 101L236 139C244 155 264 161 268 175C246 196 212 190 190 182C164 174 156 187 126 190C78 197 44 172 40 120Z',
  chunky: 'M36 122C32 64 84 32 138 44C170 51 180 64 208 64C230 64 240 78 240 104L240 137C252 140 268 152 268 168C262 190 222 188 198 180C170 171 160 196 118 200C68 202 40 174 36 122Z',
  longV: 'M262 104C220 90 150 46 40 14C28 16 24 30 32 40L126 106C140 116 140 124 126 134L32 200C24 210 28 224 40 226C150 194 220 150 262 136Z',
  sharpV: 'M266 102L196 84L52 8L122 116L18 234L192 154L266 138Z',
};
const heads = {
  casual: 'M560 108C580 92 606 82 634 88C638 98 626 104 622 110C630 124 612 138 560 132Z',
  chunky: 'M560 108L574 96L626 90L622 120L626 150L574 144L560 132Z',
  longV: 'M560 108L640 120L560 132Z',
  sharpV: 'M560 108L588 92L642 106L604 126L590 146L560 132Z',
};
const woods = { mahogany: '#8a4630', blackLimba: '#6b5238', swampAsh: '#d8ba88', koa: '#b0713a' };
const finishes = { natural: null, sky: '#78b6dd', dusk: '#5d4a78', earth: '#7a5138' };
const boards = { rosewood: '#4b2b22', birdseyeMaple: '#dfb673', ebony: '#211c1d', blackLimba: '#5f4a33' };

const nut = 560, bridge = 138, frets = 21, dots = [3, 5, 7, 9, 12, 15, 17, 19, 21];
const fret = (number) => nut - (nut - bridge) * (1 - 2 ** (-number / 12));

const path = (part, d, attributes = {}) => s(`path.${part}`, { d, ...attributes });

/** Makes the drawing; `draw` changes its parts. */
export function guitarDrawing() {
  const clip = 'guitar-body';
  const outline = path('outline', bodies.casual), shade = path('shade', bodies.casual), clipped = path('clipped', bodies.casual);
  const wood = path('wood', bodies.casual), finish = path('finish', bodies.casual);
  const sheen = s('rect', { width: 290, height: 240, fill: 'url(#guitar-sheen)' });
  const grain = s('g.grain', { 'clip-path': `url(#${clip})` },
    Array.from({ length: 15 }, (_, line) => path('fibre', `M0 ${8 + line * 16}C90 ${2 + line * 16 + (line % 3) * 4} 180 ${18 + line * 16 - (line % 4) * 4} 290 ${6 + line * 16}`)));
  const board = s('polygon.board', { points: '232,102 560,108 560,132 232,138' });
  const eyes = s('g.eyes', {}, Array.from({ length: 46 }, (_, eye) => s('circle', { cx: 244 + ((eye * 71) % 312), cy: 109 + ((eye * 29) % 22), r: 0.9 })));
  const head = path('headstock', heads.casual);
  const inlays = dots.flatMap((number) => {
    const x = (fret(number) + fret(number - 1)) / 2;
    return number === 12 ? [s('circle.inlay', { cx: x, cy: 115, r: 2.2 }), s('circle.inlay', { cx: x, cy: 125, r: 2.2 })] : [s('circle.inlay', { cx: x, cy: 120, r: 2.4 })];
  });
  const element = s('svg.guitar', { viewBox: '0 0 650 240', role: 'img' },
    s('defs', {}, s('clipPath', { id: clip }, clipped), s('linearGradient', { id: 'guitar-sheen', x2: 0, y2: 1 },
      s('stop.light', { offset: 0 }), s('stop', { offset: 0.45, 'stop-opacity': 0 }), s('stop.dark', { offset: 1 }))),
    wood, finish, grain, s('g', { 'clip-path': `url(#${clip})` }, shade, sheen), outline,
    head, board, eyes,
    Array.from({ length: frets }, (_, number) => s('line.fret', { x1: fret(number + 1), x2: fret(number + 1), y1: 120 - 12 - (nut - fret(number + 1)) * 0.0183, y2: 120 + 12 + (nut - fret(number + 1)) * 0.0183 })),
    inlays, s('rect.nut', { x: 558, y: 107.5, width: 3.5, height: 25 }),
    s('rect.pickup', { x: 206, y: 104, width: 15, height: 32, rx: 3 }), s('rect.pickup', { x: 164, y: 103, width: 15, height: 34, rx: 3 }),
    s('rect.bridge', { x: 130, y: 100, width: 11, height: 40, rx: 2.5 }),
    s('circle.knob', { cx: 150, cy: 154, r: 6 }), s('circle.knob', { cx: 174, cy: 151, r: 6 }),
    Array.from({ length: 6 }, (_, string) => s('line.string', {
      x1: bridge, y1: 105 + string * 6, x2: 574 + string * 7.5, y2: 112 + string * 3.2, 'stroke-width': 1.5 - string * 0.17,
    })),
    Array.from({ length: 6 }, (_, peg) => s('circle.peg', { cx: 576 + peg * 7.5, cy: 112 + peg * 3.2, r: 2.6 })));
  return {
    element,
    draw({ shape, color, body, fretboard, description }) {
      for (const one of [outline, shade, clipped, wood, finish]) one.setAttribute('d', bodies[shape] ?? bodies.casual);
      head.setAttribute('d', heads[shape] ?? heads.casual);
      wood.style.fill = woods[body] ?? woods.mahogany;
      const paint = finishes[color];
      finish.style.fill = paint ?? woods[body];
      finish.style.opacity = paint ? 0.86 : 0.1;
      head.style.fill = paint ?? woods[body];
      board.style.fill = boards[fretboard] ?? boards.rosewood;
      eyes.style.opacity = fretboard === 'birdseyeMaple' ? 1 : 0;
      grain.style.opacity = paint ? 0.45 : 1;
      element.classList.toggle('pale-board', fretboard === 'birdseyeMaple');
      element.setAttribute('aria-label', `Drawing of the guitar: ${description}`);
    },
  };
}

/** Draws an option for a picker. */
export function swatch(part, name) {
  if (part === 'shape') return s('svg.swatch', { viewBox: '10 0 268 240', 'aria-hidden': 'true' }, path('icon', bodies[name] ?? bodies.casual));
  const colour = { color: finishes[name] ?? '#e3c99c', body: woods[name], fretboard: boards[name] }[part] ?? '#888888';
  const circle = s('circle', { cx: 12, cy: 12, r: 11 });
  circle.style.fill = colour;
  return s('svg.swatch', { viewBox: '0 0 24 24', 'aria-hidden': 'true' }, circle);
}
