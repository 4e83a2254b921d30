// Marble diagrams: values on a time axis.

import { h, prefersStillness, s } from './dom.js';

const left = 200, right = 24, rowHeight = 52, radius = 13, colours = 6, titleLimit = 21, together = 60, labelLimit = 9, letter = 7.3;

export function label(value) {
  const text = typeof value === 'string' ? value : Array.isArray(value) ? value.map(label).join(' ') : JSON.stringify(value);
  return text.length > labelLimit ? `${text.slice(0, labelLimit - 1)}…` : text;
}

/** Returns the colour of a value; equal values have equal colours. */
function colour(value) {
  let sum = 7;
  for (const character of JSON.stringify(value)) sum = (sum * 31 + character.codePointAt(0)) % 9973;
  return sum % colours;
}

const widthOf = (value) => Math.max(radius * 2, label(value).length * letter + 12);

function marble(value, x, y) {
  const width = widthOf(value);
  return s(`g.marble.c${colour(value)}`, { transform: `translate(${x} ${y})` },
    s('rect', { x: -width / 2, y: -radius, width, height: radius * 2, rx: radius }),
    s('text', { y: 4, 'text-anchor': 'middle' }, label(value)), s('title', {}, JSON.stringify(value)));
}

function ticks(until) {
  const step = [0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 300, 600, 3600, 7200].find((one) => until / one <= 12) ?? until / 10;
  return Array.from({ length: Math.floor(until / step + 1e-9) + 1 }, (_, count) => Math.round(count * step * 1000) / 1000);
}

const describe = ({ title, events }) => `${title}: ${events.map((event) => (event.end ? `end at ${event.at} s`
  : event.error !== undefined ? `error at ${event.at} s` : `${JSON.stringify(event.value)} at ${event.at} s`)).join(', ') || 'nothing'}`;

/** Draws the values of streams, one line each, on one axis. */
export function diagram(rows, width) {
  const latest = Math.max(1, ...rows.flatMap(({ events }) => events.map(({ at }) => at)));
  const until = latest * 1.06;
  const x = (at) => left + (at / until) * (width - left - right);
  const height = rows.length * rowHeight + 28;
  const lines = rows.map((row, place) => {
    const y = place * rowHeight + rowHeight / 2;
    const taken = new Map();
    const marks = row.events.map((event) => {
      // Simultaneous values are side by side, in order.
      const width = 'value' in event ? widthOf(event.value) : 6;
      const from = taken.get(event.at);
      const across = from === undefined ? x(event.at) : from + width / 2 + 2;
      taken.set(event.at, across + width / 2);
      if (event.end) return s('path.end', { d: `M${across} ${y - 15}V${y + 15}` });
      if (event.error !== undefined) return s('path.failed', { d: `M${across - 8} ${y - 8}l16 16m0-16l-16 16` });
      return marble(event.value, across, y);
    });
    return s(`g.line${row.isResult ? '.result' : ''}`, {},
      s('text.title', { x: 0, y: y + 4 }, s('title', {}, row.title), row.title.length > titleLimit ? `${row.title.slice(0, titleLimit - 1)}…` : row.title),
      s('path.time', { d: `M${left - 14} ${y}H${width - right + 8}m-7-4l7 4-7 4` }), marks);
  });
  const axis = ticks(until).map((at) => s('g.tick', {}, s('path', { d: `M${x(at)} 6V${height - 24}` }), s('text', { x: x(at), y: height - 8, 'text-anchor': 'middle' }, `${at} s`)));
  return s('svg.marbles', { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': rows.map(describe).join('; ') }, axis, lines);
}

/** A line on which new values appear at the right and move left with time. */
export class LiveLine {
  static seconds = 14;

  constructor(width, signal) {
    this.width = width;
    this.marks = [];
    this.group = s('g');
    const y = rowHeight / 2;
    this.element = s('svg.marbles.live', { viewBox: `0 0 ${width} ${rowHeight}`, width, height: rowHeight, role: 'img', 'aria-label': 'Values as they arrive' },
      s('path.time', { d: `M0 ${y}H${width - 4}` }), this.group);
    this.heard = h('ol.heard', { 'aria-live': 'polite', 'aria-label': 'What arrived' });
    this.pace = (width - 90) / LiveLine.seconds;
    signal.addEventListener('abort', () => this.stop());
    this.isRunning = true;
    this.move();
  }

  add(event) {
    const y = rowHeight / 2;
    const element = event.end ? s('path.end', { d: `M0 ${y - 15}V${y + 15}` }) : event.error !== undefined ? s('path.failed', { d: `M-8 ${y - 8}l16 16m0-16l-16 16` }) : marble(event.value, 0, y);
    const holder = s('g', {}, element);
    this.group.append(holder);
    const at = performance.now(), last = this.marks.at(-1);
    const width = event.value === undefined ? 8 : widthOf(event.value);
    // Simultaneous values are side by side.
    const shift = last && at - last.at < together ? last.shift + (last.width + width) / 2 + 2 : 0;
    this.marks.push({ holder, at, shift, width });
    this.place();
    this.heard.append(h('li', {}, event.end ? 'end' : event.error !== undefined ? 'error' : JSON.stringify(event.value)));
    while (this.heard.childElementCount > 40) this.heard.firstElementChild.remove();
  }

  place() {
    const now = performance.now();
    this.marks = this.marks.filter(({ holder, at, shift }) => {
      const x = this.width - 90 + shift - ((now - at) / 1000) * this.pace;
      if (x < -20) holder.remove();
      else holder.setAttribute('transform', `translate(${x.toFixed(1)} 0)`);
      return x >= -20;
    });
  }

  move() {
    if (!this.isRunning) return;
    this.place();
    // With reduced motion it moves in steps.
    if (prefersStillness()) setTimeout(() => this.move(), 1000);
    else requestAnimationFrame(() => this.move());
  }

  stop() {
    this.isRunning = false;
  }
}
