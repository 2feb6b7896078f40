// needs: database

import { createHash, type Hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { emptyStream } from '../../src/kernel/event-store.js';
import { KurrentLog } from '../../src/storage/store/kurrent/kurrent.log.js';
import { PostgresEngine } from '../../src/storage/store/postgres/postgres.engine.js';
import { PostgresLog } from '../../src/storage/store/postgres/postgres.log.js';
import type { WholeLog } from '../../src/storage/store/whole-log.js';
import { appended, isChained, noted, notes } from '../contracts/event-store.contract.js';
import { databaseUrl } from '../support/database/database-url.js';
import { freshDatabase } from '../support/database/test-database.js';
import { StandIn } from '../support/eventstore/kurrent/stand-in.js';
import { writeLongLog } from '../support/eventstore/long-log.js';
import { operator } from '../support/service/operator-command.js';
import { temporaryFolder } from '../support/service/stele.js';

/** `STELE_TEST_EVENTS=100000` takes some minutes. */
const EVENTS = Number(process.env.STELE_TEST_EVENTS ?? 4_000);
const PATIENCE = 60_000 + EVENTS * 10;

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('Copying an event log to EventStoreDB and back', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let server: StandIn;
  const databases: Awaited<ReturnType<typeof freshDatabase>>[] = [];

  beforeAll(async () => {
    temporary = await temporaryFolder('moving');
    server = await StandIn.start();
    databases.push(await freshDatabase(), await freshDatabase());
    await writeLongLog(databases[0]!.config, EVENTS - 1);
    await forgetJob();
  }, PATIENCE);
  afterAll(async () => {
    server.stop();
    for (const { drop } of databases) await drop();
    await temporary.remove();
  });

  /** Truncates a job's stream to its last event, as the service does after the retention period. */
  async function forgetJob() {
    const pool = new Pool(databases[0]!.config);
    const store = new PostgresEngine({ pool, catalogue: notes, isChained, digest: sha256 });
    await store.start();
    await appended(store, 'job-forgotten', emptyStream, ['one', 'two', 'three'].map(noted));
    await store.truncate('job-forgotten', 2);
    await store.stop();
    await pool.end();
  }

  const url = (n: number) => databaseUrl(databases[n]!.config);
  const events = (...args: string[]) => operator('events', args, { STELE_DATA: temporary.folder });
  const copy = (from: string, to: string) => events('copy', '--from', from, '--to', to);
  const copied = async (from: string, to: string) => {
    const ran = await copy(from, to).ran;
    if (ran.code !== 0) throw new Error(`The copy ended with ${ran.code}:\n${ran.err}`);
    return ran;
  };

  /**
   * Returns the number of events, and a digest of the log in order. Leaves out positions, which depend on the engine.
   */
  async function exported(log: WholeLog): Promise<{ readonly count: number; readonly digest: string }> {
    const digest: Hash = createHash('sha256');
    let count = 0;
    for await (const list of log.after(0n, new AbortController().signal)) {
      for (const { position: _, ...event } of list) digest.update(`${JSON.stringify(Object.entries(event).sort())}\n`);
      count += list.length;
    }
    await log.close();
    return { count, digest: digest.digest('hex') };
  }
  const ofDatabase = (n: number) => {
    const pool = new Pool(databases[n]!.config);
    return exported(new PostgresLog(pool, 'PostgreSQL', () => pool.end()));
  };
  const ofServer = () => exported(new KurrentLog(server.url, sha256));

  it(
    'copying can be resumed after a crash, and copying the log back produces an identical log',
    async () => {
      const killed = copy(url(0), server.url);
      while (server.calls.append < 20) await server.log.grownOnce();
      killed.child.kill('SIGKILL');
      expect((await killed.ran).code).toBe('SIGKILL');
      const before = server.log.ours().length;
      expect(before).toBeGreaterThan(0);
      expect(before).toBeLessThan(EVENTS);

      const there = await copied(url(0), server.url);
      expect(there.err.split('\n').filter((line) => line.includes('%')).length).toBeGreaterThanOrEqual(2);
      expect(there.out).toMatch(/Both logs are identical\. ([\d,]+) of \1 hash chains are valid\./);
      const whole = new Intl.NumberFormat('en').format(EVENTS);
      expect(there.out).toContain(`${whole} events in `);
      expect(there.out).not.toContain('; 0 of them were already there');

      await copied(server.url, url(1));
      const first = await ofDatabase(0);
      expect(first.count).toBe(EVENTS);
      expect(await ofServer()).toEqual(first);
      expect(await ofDatabase(1)).toEqual(first);
    },
    4 * PATIENCE,
  );

  it(
    'a repeated copy compares the logs and writes nothing',
    async () => {
      const appends = server.calls.append;
      const again = await copied(url(0), server.url);
      expect(again.out).toMatch(
        /^The destination has ([\d,]+) events in [\d,]+ streams; \1 of them were already there\.$/m,
      );
      expect(server.calls.append).toBe(appends);
    },
    PATIENCE,
  );

  it(
    'copying to a different log is refused and changes nothing',
    async () => {
      const other = await freshDatabase();
      databases.push(other);
      const [event] = server.log.ours();
      const stranger = await StandIn.start();
      stranger.log.append(event!.stream, -1, [{ ...event!, data: Buffer.from('{}') }]);
      const refused = await copy(url(0), stranger.url).ran;
      expect(refused).toMatchObject({ code: 1, out: '' });
      expect(refused.err).toContain('contains a different log');
      expect(stranger.log.ours()).toHaveLength(1);

      const foreign = await StandIn.start();
      foreign.log.append('orders-1', -1, [{ ...event!, metadata: new Uint8Array() }]);
      expect((await copy(url(0), foreign.url).ran).err).toContain('Event 1 of orders-1 was not written by Stele.');
      stranger.stop();
      foreign.stop();
    },
    PATIENCE,
  );

  it(
    'the statistics command reports the same figures for PostgreSQL and EventStoreDB',
    async () => {
      const both = [await events('stats', '--from', url(0)).ran, await events('stats', '--from', server.url).ran];
      for (const { code, out } of both) {
        expect(code).toBe(0);
        expect(out).toMatch(
          new RegExp(`^${new Intl.NumberFormat('en').format(EVENTS)} events in [\\d,]+ streams`, 'm'),
        );
        expect(out).toMatch(/^first {2}2026-01-01T/m);
        expect(out).toMatch(/ bytes {2}SiteCreated$/m);
      }
      const comparable = (out: string) =>
        out
          .replace(/ {2}position \d+/g, '')
          .split('\n')
          .slice(1);
      expect(comparable(both[0]!.out)).toEqual(comparable(both[1]!.out));
    },
    PATIENCE,
  );

  it(
    'the copy command requires all of its arguments, and prints no credentials',
    async () => {
      for (const args of [
        ['copy'],
        ['copy', '--from', url(0)],
        ['move'],
        ['copy', '--from', url(0), '--to', url(0)],
        ['stats', 'x'],
      ])
        expect((await events(...args).ran).code).toBe(64);
      expect((await events().ran).code).toBe(0);
      const { code, err } = await copy('mysql://root:hunter2@db/x', server.url).ran;
      expect(code).toBe(1);
      expect(err).not.toContain('hunter2');
    },
    PATIENCE,
  );
});
