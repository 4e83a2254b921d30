// How values are written for people.

const amounts = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const whole = new Intl.NumberFormat('en');
const times = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const ago = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

export const money = (value) => amounts.format(value ?? 0);
export const number = (value) => whole.format(value);
export const time = (text) => times.format(new Date(text));
export const plural = (count, one, many = `${one}s`) => `${whole.format(count)} ${count === 1 ? one : many}`;

export function since(text) {
  const seconds = (new Date(text) - Date.now()) / 1000;
  if (seconds > -10) return 'just now';
  if (seconds > -60) return ago.format(Math.round(seconds), 'second');
  if (seconds > -3600) return ago.format(Math.round(seconds / 60), 'minute');
  if (seconds > -86400) return ago.format(Math.round(seconds / 3600), 'hour');
  return ago.format(Math.round(seconds / 86400), 'day');
}

/** A value in a line: what it holds, not all of it. */
export function brief(value, limit = 60) {
  if (value === undefined) return '…';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : plural(value.length, 'item');
  if (value === null) return 'nothing';
  if (typeof value === 'string') return value === '' ? '“”' : shortened(value, limit);
  if (typeof value === 'object') return shortened(JSON.stringify(value), limit);
  return String(value);
}

export const shortened = (text, limit) => (text.length > limit ? `${text.slice(0, limit - 1)}…` : text);

export function bytes(count) {
  if (!Number.isFinite(count)) return '–';
  return count < 1e6 ? `${Math.round(count / 1e3)} kB` : `${(count / 1e6).toFixed(count < 1e8 ? 1 : 0)} MB`;
}

export function duration(seconds) {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86400)} d ${Math.floor((seconds % 86400) / 3600)} h`;
}
