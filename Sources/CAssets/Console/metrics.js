// The server's metrics, requested at intervals while the page is visible.

import { get } from './wire.js';

const period = 2000;

/** Parses the Prometheus text: the sum of each metric over its labels. */
export function parse(text) {
  const sums = {};
  for (const line of text.split('\n')) {
    if (!line || line[0] === '#') continue;
    const end = line.lastIndexOf(' ');
    const brace = line.indexOf('{');
    const name = line.slice(0, brace > 0 ? brace : end);
    sums[name] = (sums[name] ?? 0) + Number(line.slice(end + 1));
  }
  return sums;
}

/** Calls back with the metrics and the seconds since the last ones until the signal aborts; with none if the request fails. */
export function watchMetrics(signal, receive) {
  let last = 0;
  const look = async () => {
    if (signal.aborted) return;
    if (!document.hidden) {
      try {
        const figures = parse(await get('/metrics', { isText: true, isQuiet: true, signal }));
        const now = performance.now();
        let health = 'ready';
        await get('/readyz', { isText: true, isQuiet: true, signal }).catch((error) => {
          health = error.problem ? error.message : 'away';
        });
        receive({ figures, seconds: last ? (now - last) / 1000 : 0, health });
        last = now;
      } catch (error) {
        if (!signal.aborted) receive({ figures: null, seconds: 0, health: error.problem ? error.message : 'away' });
      }
    }
    setTimeout(look, period);
  };
  look();
}
