// Formats of values for people.
// Without Intl: its first formatter takes longer than all other work before the first value.

const grouped = (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ',');

export function number(value) {
  const [whole, fraction] = String(value).split('.');
  return grouped(whole) + (fraction ? `.${fraction}` : '');
}

export function money(value) {
  const [whole, fraction] = Number(value ?? 0).toFixed(2).split('.');
  return `${grouped(whole)}.${fraction}`;
}

/** Returns the local time of day. */
export const time = (text) => new Date(text).toTimeString().slice(0, 8);
export const plural = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

function span(seconds) {
  if (seconds < 60) return plural(seconds, 'second');
  if (seconds < 3600) return plural(Math.round(seconds / 60), 'minute');
  if (seconds < 86400) return plural(Math.round(seconds / 3600), 'hour');
  return plural(Math.round(seconds / 86400), 'day');
}

const age = (text) => Math.round((Date.now() - new Date(text)) / 1000);

/** Returns the time since an instant of the past; the clock of the server can be ahead of the browser's. */
export const since = (text) => (age(text) < 10 ? 'just now' : `${span(age(text))} ago`);

/** Returns the time since or until an instant. */
export const moment = (text) => (age(text) <= -10 ? `in ${span(-age(text))}` : since(text));

/** Returns a value in one line, shortened. */
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
  if (count < 1e3) return plural(count, 'byte');
  if (count >= 1e9) return `${(count / 1e9).toFixed(1)} GB`;
  return count < 1e6 ? `${Math.round(count / 1e3)} kB` : `${(count / 1e6).toFixed(count < 1e8 ? 1 : 0)} MB`;
}

export function duration(seconds) {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86400)} d ${Math.floor((seconds % 86400) / 3600)} h`;
}
