// A server of its own for a test: it is killed and started again on the same data.

import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import http from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';

const secret = 'a secret of at least thirty-two bytes';

/** Returns a JSON Web Token with some claims. */
export function tokenOf(claims) {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ ...claims, exp: Math.floor(Date.now() / 1000) + 86400 })}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

export class Server {
  constructor(program, more = []) {
    Object.assign(this, { program, more, directory: mkdtempSync(join(tmpdir(), 'headwater-mirror-')), port: 0 });
    writeFileSync(join(this.directory, 'secret'), secret);
  }
  get url() { return `http://127.0.0.1:${this.port}`; }

  async start() {
    this.process = spawn(this.program, [
      'serve', '--port', String(this.port), '--data', join(this.directory, 'data'), '--jwt-secret', join(this.directory, 'secret'),
      '--grant', 'token.boss == true => admin, *', '--grant', "token.sub != '' => act, *", '--examples', 'none', '--threads', '1', '--log-level', 'warning', ...this.more,
    ], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.log = '';
    this.process.stderr.on('data', (bytes) => { this.log += bytes; });
    await new Promise((done, fail) => {
      this.process.stdout.on('data', (bytes) => { const found = /:(\d+)\s/.exec(`${bytes}`); if (found) { this.port = Number(found[1]); done(); } });
      this.process.on('exit', (code) => fail(Error(`the server has ended with ${code}: ${this.log}`)));
    });
    return this;
  }
  kill() { return new Promise((done) => { this.process.on('exit', done); this.process.kill('SIGKILL'); }); }
  async end() { await this.kill(); rmSync(this.directory, { recursive: true, force: true }); }

  /** Sends a request, past all pages. */
  ask(method, path, token, body) {
    return new Promise((done, fail) => {
      const content = body === undefined ? undefined : JSON.stringify(body);
      const request = http.request(`${this.url}${path}`, {
        method, agent: false, headers: { Authorization: `Bearer ${token}`, ...(content && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(content) }) },
      }, (reply) => {
        let text = '';
        reply.on('data', (bytes) => { text += bytes; });
        reply.on('end', () => done({ status: reply.statusCode, json: text ? JSON.parse(text) : undefined }));
      });
      request.on('error', fail);
      request.end(content);
    });
  }

  /** Returns the replica of a feature that a caller may hold, from a stream of its own. */
  replica(name, token) {
    return new Promise((done, fail) => {
      const body = JSON.stringify({ watch: { [name]: null } });
      const request = http.request(`${this.url}/v1/live`, {
        method: 'POST', agent: false, headers: { Authorization: `Bearer ${token}`, Accept: 'text/event-stream', 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) },
      }, (reply) => {
        let text = '';
        const value = {};
        reply.on('data', (bytes) => {
          text += bytes;
          for (let end; (end = text.indexOf('\n\n')) >= 0; text = text.slice(end + 2)) {
            const data = /^data: ?(.*)$/m.exec(text.slice(0, end))?.[1];
            const event = data && JSON.parse(data);
            if (!event || event.stream) continue;
            for (const [label, part] of Object.entries(event[name] ?? {})) value[label] = part && typeof part === 'object' && value[label] ? { ...value[label], ...part } : part;
            if (event._more?.includes(name)) continue;
            reply.destroy();
            return done(event._gone ? undefined : value);
          }
        });
        reply.on('error', () => {});
      });
      request.on('error', fail);
      request.end(body);
    });
  }
}
