import { request } from 'node:https';

/** Requests the page of a name from Caddy on loopback, over a new connection; resolves to the status. */
export function visit(port: number, name: string, withinMs: number): Promise<number | undefined> {
  return new Promise((done, reject) => {
    const sent = request({
      ...{ host: '127.0.0.1', port, servername: name, headers: { host: `${name}:${port}` } },
      // No machine trusts the authority of a test.
      ...{ rejectUnauthorized: false, agent: false, signal: AbortSignal.timeout(withinMs) },
    });
    sent.on('error', reject);
    sent.on('response', (answer) => {
      answer.resume();
      answer.on('end', () => done(answer.statusCode));
      answer.on('error', reject);
    });
    sent.end();
  });
}
