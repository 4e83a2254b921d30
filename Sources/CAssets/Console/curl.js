// The curl line of each request.

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** Returns the curl line of a request. A token is never included. */
export function curlLine(method, path, { body, events = false, headers = {}, hasToken = false } = {}) {
  const parts = ['curl'];
  if (events) parts.push('-N', '-H', quoted('Accept: text/event-stream'));
  if (hasToken) parts.push('-H', '"Authorization: Bearer $HEADWATER_TOKEN"');
  for (const [name, value] of Object.entries(headers)) parts.push('-H', quoted(`${name}: ${value}`));
  if (body !== undefined) parts.push('--json', quoted(JSON.stringify(body)));
  const isImplied = method === 'GET' || (method === 'POST' && body !== undefined);
  if (!isImplied) parts.push('-X', method);
  const url = location.origin + path;
  parts.push(/^[A-Za-z0-9_.~:/{}-]+$/.test(url) ? url : quoted(url));
  return parts.join(' ');
}
