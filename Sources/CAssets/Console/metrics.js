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

/** The reason why there are no metrics: a token without the right to read them. */
export const refusal = 'The metrics need the right metrics.';

/** Returns the metrics; null if the token may not read them. */
async function read(signal) {
  try {
    return parse(await get('/metrics', { isText: true, isQuiet: true, signal }));
  } catch (error) {
    if (error.status === 403) return null;
    throw error;
  }
}

/**
 * Calls back with the metrics and the seconds since the last ones until the signal aborts; with none if the request fails or is refused. A
 * refused request is not repeated.
 */
export function watchMetrics(signal, receive) {
  let last = 0, isRefused = false;
  const look = async () => {
    if (signal.aborted) return;
    if (!document.hidden) {
      try {
        const figures = isRefused ? null : await read(signal);
        isRefused = !figures;
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
