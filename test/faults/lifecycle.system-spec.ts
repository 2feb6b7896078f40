// needs: database

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitForOutput } from '../support/service/output.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';

describe('Starting and stopping the process', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  const started: Stele[] = [];

  beforeEach(async () => {
    temporary = await temporaryFolder('lifecycle');
  });
  afterEach(async () => {
    for (const stele of started.splice(0)) await stele.stop();
    await temporary.remove();
  });

  async function start(env: Record<string, string> = {}) {
    const stele = await startStele({ folder: temporary.folder, env });
    started.push(stele);
    return stele;
  }
  const deploy = ({ api }: Stele, html: string) => api.post('/v1/deploy').type('html').send(html).expect(200);

  const postgresOf = async () =>
    Number((await readFile(join(temporary.folder, 'postgres/data/postmaster.pid'), 'utf8')).split('\n')[0]);
  /** A zombie (`Z` in proc(5)) counts as dead. */
  const isRunning = async (pid: number) => {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    return stat !== '' && !/\) Z /.test(stat);
  };

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'on %s, the process exits despite open connections and a running upload, and leaves nothing running',
    async (signal) => {
      const stele = await start();
      await deploy(stele, 'hello');
      const postgres = await postgresOf();

      const idle = connect(stele.port, '127.0.0.1');
      const uploading = connect(stele.port, '127.0.0.1');
      const closed = [idle, uploading].map((socket) =>
        once(
          socket.on('error', () => undefined),
          'close',
        ),
      );
      uploading.write(
        'POST /v1/deploy HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/html\r\ncontent-length: 100000\r\n\r\n<p>',
      );
      await Promise.all([idle, uploading].map((socket) => (socket.connecting ? once(socket, 'connect') : null)));

      const before = process.hrtime.bigint();
      expect(await stele.stop(signal)).toBe(0);
      // The service promises to stop within five seconds.
      expect(Number(process.hrtime.bigint() - before) / 1e9).toBeLessThan(5);
      await Promise.all(closed);
      expect(await isRunning(postgres)).toBe(false);
    },
  );

  it('a stopping process finishes a running deploy, and accepts no new one', async () => {
    const stele = await start();
    const uploading = connect(stele.port, '127.0.0.1');
    const page = 'x'.repeat(60_000);
    uploading.write(
      `POST /v1/deploy HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/html\r\ncontent-length: ${page.length}\r\n\r\n`,
    );
    const answered = text(uploading);
    uploading.write(page.slice(0, 10_000));
    await stele.raw.get('/health').expect(200);
    const ended = stele.stop('SIGTERM');
    await waitForOutput(stele.printed, 'SIGTERM: stopping');
    const refuses = () =>
      new Promise<boolean>((resolve) => {
        const socket = connect(stele.port, '127.0.0.1', () => {
          socket.destroy();
          resolve(false);
        });
        socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'));
      });
    while (!(await refuses())) await delay(10);
    for (let at = 10_000; at < page.length; at += 10_000) {
      await delay(200);
      uploading.write(page.slice(at, at + 10_000));
    }
    expect(await answered).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(await ended).toBe(0);

    const again = await start();
    const { slug } = JSON.parse(/\{.*\}/s.exec(await answered)?.[0] ?? '');
    expect((await again.visit(slug)).text).toBe(page);
  });

  it('after a kill, a new process finds the database still running', async () => {
    const first = await start();
    const { body: site } = await deploy(first, 'kept');
    await first.stop('SIGKILL');
    expect(await isRunning(await postgresOf())).toBe(true);

    const second = await start();
    await waitForOutput(second.printed, '(already running)');
    expect((await second.visit(site.slug)).text).toBe('kept');
  });

  it('a second process on the same folder is refused, and does not disturb the first', async () => {
    const first = await start();
    await expect(startStele({ folder: temporary.folder })).rejects.toThrow(
      new RegExp(
        `already running on ${temporary.folder}: process ${first.child.pid}, at http://localhost:${first.port}\\.(.|\\n)*STELE_DATA=`,
      ),
    );
    await deploy(first, 'still here');
  });

  it('the error says that the port is in use', async () => {
    const first = await start();
    await expect(
      startStele({ folder: join(temporary.folder, 'other'), env: { PORT: String(first.port) } }),
    ).rejects.toThrow(/127\.0\.0\.1:\d+ is already in use\. [\s\S]*PORT=/);
  });

  it.each([
    ['PORT', 'many', /PORT must be /],
    ['STELE_BASE_URL', 'nonsense', /STELE_BASE_URL must be /],
    ['STELE_ROLES', 'api', /STELE_ROLES must [\s\S]*set DATABASE_URL/],
    [
      'DATABASE_URL',
      'postgres://127.0.0.1:1/none',
      /connect to PostgreSQL at DATABASE_URL \(127\.0\.0\.1:1\/none\): [\s\S]*Without DATABASE_URL, Stele runs/,
    ],
  ])('with %s=%s, the process refuses to start and names the setting', async (name, value, message) => {
    await expect(startStele({ folder: temporary.folder, env: { [name]: value } })).rejects.toThrow(message);
  });
});
