// needs: database

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { waitForOutput } from '../support/service/output.js';
import { program, type Stele, startStele, temporaryFolder } from '../support/service/stele.js';

// Some tests start the service twice, with a new database.
jest.setTimeout(120_000);

/**
 * The service promises to stop within five seconds. The limit is longer, because a slow machine can take some seconds
 * to stop PostgreSQL, but shorter than the ten seconds for which the service would wait for an upload.
 */
const STOPS_WITHIN_MS = 9_500;

describe('Starting and stopping the process', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  const started: Stele[] = [];
  const groups: { readonly exitCode: Promise<unknown>; readonly signalGroup: (signal: NodeJS.Signals) => unknown }[] =
    [];

  beforeEach(async () => {
    temporary = await temporaryFolder('lifecycle');
  });
  afterEach(async () => {
    for (const stele of started.splice(0)) await stele.stop();
    for (const { exitCode, signalGroup } of groups.splice(0)) {
      try {
        signalGroup('SIGKILL');
      } catch {
        // The process group has already exited.
      }
      await exitCode;
    }
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

  /** Starts a process in its own process group. The process may be stopped before it is ready. */
  function startUnready(command: readonly [string, ...string[]] = program, env: Record<string, string> = {}) {
    const [file, ...args] = command;
    const child = spawn(file, args, {
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        STELE_BUILDER: 'none',
        STELE_STATUS_PROBES: 'off',
        STELE_DISK_RESERVE: '0',
        PORT: '0',
        STELE_DATA: temporary.folder,
        ...env,
      },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    const hear = (chunk: Buffer) => {
      printed += chunk;
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    const unready = {
      printed: () => printed,
      closeOutput: () => {
        child.stdout.destroy();
        child.stderr.destroy();
      },
      exitCode: once(child, 'close').then(([code]): number | null => code),
      signalGroup: (signal: NodeJS.Signals) => process.kill(-(child.pid ?? Number.NaN), signal),
    };
    groups.push(unready);
    return unready;
  }

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

      const before = performance.now();
      expect(await stele.stop(signal)).toBe(0);
      expect(performance.now() - before).toBeLessThan(STOPS_WITHIN_MS);
      await Promise.all(closed);
      expect(await isRunning(postgres)).toBe(false);
    },
  );

  /** Returns processes whose working directory is in `folder`, such as PostgreSQL and `initdb`. */
  async function processesIn(folder: string): Promise<string[]> {
    const found: string[] = [];
    for (const pid of await readdir('/proc')) {
      if (!/^\d+$/.test(pid)) continue;
      const place = await readlink(`/proc/${pid}/cwd`).catch(() => '');
      if (place.startsWith(folder) && (await isRunning(Number(pid)))) found.push(`${pid} in ${place}`);
    }
    return found;
  }

  it('the process stops the database even if nobody reads its output any more', async () => {
    const started = startUnready();
    await waitForOutput(started.printed, 'Press Ctrl-C to stop.');
    const postgres = await postgresOf();
    started.closeOutput();
    started.signalGroup('SIGINT');
    expect(await started.exitCode).toBe(0);
    expect(await isRunning(postgres)).toBe(false);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'after %s to the process group of npm start, the database is stopped once, although npm forwards the signal',
    async (signal) => {
      const started = startUnready(['npm', 'start']);
      await waitForOutput(started.printed, 'Press Ctrl-C to stop.');
      const postgres = await postgresOf();
      started.signalGroup(signal);
      expect(await started.exitCode).toBe(0);
      expect(await isRunning(postgres)).toBe(false);
      expect(started.printed().match(/: stopping…/g)).toHaveLength(1);
      expect(await processesIn(temporary.folder)).toEqual([]);
    },
  );

  const postgresFiles = () => readdir(join(temporary.folder, 'postgres')).catch((): string[] => []);
  const hasPidFile = () =>
    access(join(temporary.folder, 'postgres/data/postmaster.pid')).then(
      () => true,
      () => false,
    );
  it.each<[string, () => Promise<boolean>]>([
    ['before it opens anything', async () => true],
    // On a slow machine, the database may already exist at the first check.
    ['while it creates its database', async () => (await postgresFiles()).some((name) => /^making-|^data$/.test(name))],
    ['once its database has been created', async () => (await postgresFiles()).includes('data')],
    ['while its database starts', hasPidFile],
    ['while its services start', async () => (await readdir(temporary.folder)).includes('master-key')],
  ])('a process that is stopped %s leaves nothing behind, and can start again', async (_, isNow) => {
    const first = startUnready();
    await waitForOutput(first.printed, 'Opening the data folder');
    while (!(await isNow())) await delay(5);
    first.signalGroup('SIGINT');
    expect(await first.exitCode).toBe(0);
    expect(await processesIn(temporary.folder)).toEqual([]);
    expect((await postgresFiles()).filter((name) => name.startsWith('making-'))).toEqual([]);

    const second = startUnready();
    await waitForOutput(second.printed, 'Press Ctrl-C to stop.');
    expect(second.printed()).not.toContain('(already running)');
    second.signalGroup('SIGTERM');
    expect(await second.exitCode).toBe(0);
    expect(await processesIn(temporary.folder)).toEqual([]);
  });

  it('repeated stop signals make the process stop its database without waiting for an upload', async () => {
    const stele = await start();
    const postgres = await postgresOf();
    const uploading = connect(stele.port, '127.0.0.1').on('error', () => undefined);
    uploading.write(
      'POST /v1/deploy HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/html\r\ncontent-length: 100000\r\n\r\n<p>',
    );
    await once(uploading, 'connect');
    await stele.raw.get('/health').expect(200);
    const begin = performance.now();
    const exited = stele.stop('SIGINT');
    let isOver = false;
    void exited.then(() => {
      isOver = true;
    });
    for (; !isOver; await delay(100)) stele.child.kill('SIGINT');
    expect(await exited).toBe(130);
    expect(performance.now() - begin).toBeLessThan(STOPS_WITHIN_MS);
    expect(await isRunning(postgres)).toBe(false);
    uploading.destroy();
  });

  it('a process that is stopping finishes a running deploy, and accepts no new deploys', async () => {
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

  it('after a process was killed, a new process uses the database that is still running', async () => {
    const first = await start();
    const { body: site } = await deploy(first, 'kept');
    await first.stop('SIGKILL');
    expect(await isRunning(await postgresOf())).toBe(true);

    const second = await start();
    await waitForOutput(second.printed, '(already running)');
    expect((await second.visit(site.slug)).text).toBe('kept');
  });

  it('a second process with the same data folder exits, and does not affect the first process', async () => {
    const first = await start();
    await expect(startStele({ folder: temporary.folder })).rejects.toThrow(
      new RegExp(
        `already running on ${temporary.folder}: process ${first.child.pid}, at http://localhost:${first.port}\\.(.|\\n)*STELE_DATA=`,
      ),
    );
    await deploy(first, 'still here');
  });

  it('a process whose port is in use reports only the port, and creates no database', async () => {
    const first = await start();
    const other = join(temporary.folder, 'other');
    const second = startUnready(program, { STELE_DATA: other, PORT: String(first.port) });
    expect(await second.exitCode).toBe(1);
    expect(second.printed().trim()).toBe(
      `127.0.0.1:${first.port} is already in use. Choose another port: PORT=${first.port + 1} npm start`,
    );
    await expect(access(other)).rejects.toThrow('ENOENT');
  });

  it('a process with a damaged master key names the file, and stops the database that it has started', async () => {
    await (await start()).stop();
    const key = join(temporary.folder, 'master-key');
    const kept = await readFile(key);
    await writeFile(key, 'damaged');
    const second = startUnready();
    expect(await second.exitCode).toBe(1);
    expect(second.printed()).toContain(key);
    expect(await processesIn(temporary.folder)).toEqual([]);

    await writeFile(key, kept);
    const third = startUnready();
    await waitForOutput(third.printed, 'Press Ctrl-C to stop.');
    expect(third.printed()).not.toContain('(already running)');
  });

  it('a process whose data folder and port are both in use reports only the folder', async () => {
    const first = await start();
    await expect(startStele({ folder: temporary.folder, env: { PORT: String(first.port) } })).rejects.toThrow(
      `already running on ${temporary.folder}: process ${first.child.pid}`,
    );
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
