// All requests of the page over the public contract, and their record as curl lines.

import { curlLine } from './curl.js';

const tokenKey = 'headwater.token';
const recordLimit = 60;

/** Kept for the page's session only. */
export const token = {
  get value() { return sessionStorage.getItem(tokenKey) ?? ''; },
  set value(text) { if (text) sessionStorage.setItem(tokenKey, text); else sessionStorage.removeItem(tokenKey); },
};

/** The refusal of a request: a problem document (RFC 9457). */
export class Refusal extends Error {
  constructor(problem, status) {
    super(problem.detail ?? problem.title ?? `the server answered ${status}`);
    this.problem = problem;
    this.status = status;
  }
}

/** Listeners for each answered request, and for a missing token. */
export const wire = new EventTarget();
export const record = [];

function note(entry) {
  const last = record[0];
  if (last && last.line === entry.line && last.status === entry.status && last.isQuiet) {
    last.count += 1;
    last.milliseconds = entry.milliseconds;
  } else {
    record.unshift({ ...entry, count: 1 });
    record.length = Math.min(record.length, recordLimit);
  }
  wire.dispatchEvent(new CustomEvent('asked', { detail: record[0] }));
}

/** Records an opened stream. */
export function noteStream(path) {
  note({ line: curlLine('GET', path, { events: true, hasToken: !!token.value }), status: 'stream', milliseconds: null, isQuiet: false });
}

async function problemOf(response) {
  try {
    return await response.json();
  } catch {
    return { title: response.statusText, status: response.status };
  }
}

/** Sends a request; returns JSON with the header fields. Quiet requests are periodic ones. */
export async function ask(method, path, { body, headers: more = {}, isText = false, isQuiet = false, signal } = {}) {
  const headers = { Accept: isText ? '*/*' : 'application/json', ...more };
  if (token.value) headers.Authorization = `Bearer ${token.value}`;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const line = curlLine(method, path, { body, headers: more, hasToken: !!token.value });
  const began = performance.now();
  let response;
  try {
    response = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body), signal, cache: 'no-store' });
  } catch (error) {
    if (!isQuiet) note({ line, status: 'away', milliseconds: null, isQuiet });
    throw error;
  }
  note({ line, status: response.status, milliseconds: performance.now() - began, isQuiet });
  if (response.status === 401) wire.dispatchEvent(new Event('token'));
  if (!response.ok) throw new Refusal(await problemOf(response), response.status);
  const text = await response.text();
  return { value: isText ? text : text ? JSON.parse(text) : null, headers: response.headers };
}

export const get = async (path, options) => (await ask('GET', path, options)).value;

/** Performs an action. */
export const post = async (path, body, options) => (await ask('POST', path, { ...options, body })).value;

/** Returns a path with a ticket in place of the token, for requests that cannot set header fields. */
export async function withTicket(path) {
  if (!token.value) return path;
  const { ticket } = await post('/v1/tickets', { path }, { isQuiet: true });
  return `${path}${path.includes('?') ? '&' : '?'}ticket=${ticket}`;
}
