import { request } from 'node:https';

/** Requests a name's page from Caddy on loopback over a new connection, and resolves to the status. */
export function visit(port: number, name: string, withinMs: number): Promise<number | undefined> {
  return new Promise((done, reject) => {
    const sent = request({
      ...{ host: '127.0.0.1', port, servername: name, headers: { host: `${name}:${port}` } },
      // The test's certificate authority is not trusted by any machine.
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
