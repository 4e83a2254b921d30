// A small chart of one number over the last minutes.

import { s } from './dom.js';

const width = 160, height = 36, points = 150, fewest = 20;

export function spark(label) {
  const area = s('path.area'), line = s('path.line'), dot = s('circle.tip', { r: 2.5 });
  const svg = s('svg.spark', { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': label }, area, line);
  const values = [];
  return {
    element: svg,
    add(value) {
      values.push(value);
      if (values.length > points) values.shift();
      const top = Math.max(...values, 1e-9);
      // The first values get more room each.
      const x = (place) => width - (values.length - 1 - place) * (width / Math.max(values.length - 1, fewest));
      const y = (one) => height - 3 - (one / top) * (height - 7);
      const path = values.map((one, place) => `${place ? 'L' : 'M'}${x(place).toFixed(1)} ${y(one).toFixed(1)}`).join('');
      line.setAttribute('d', path);
      area.setAttribute('d', `${path}L${width} ${height}L${x(0).toFixed(1)} ${height}Z`);
      svg.setAttribute('aria-label', `${label}: ${Math.round(value * 10) / 10} now, ${Math.round(top * 10) / 10} at the most`);
    },
  };
}
