import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { freshDatabase } from '../../../../test/support/database/test-database.js';
import { queued, startedBy } from '../../../../test/support/events/job-examples.js';
import { created, deployed } from '../../../../test/support/events/site-examples.js';
import { MemoryStore } from '../../../../test/support/eventstore/memory-store.js';
import { JobFailed, JobForgotten, JobLogged, jobStream } from '../../../events/job.events.js';
import { SiteServerCrashed } from '../../../events/site/server.events.js';
import { SiteDeleted } from '../../../events/site/settings.events.js';
import { siteStream } from '../../../events/site/site.events.js';
import type { DomainEvent } from '../../../kernel/decider.js';
import { formatBytes } from '../../../kernel/output/quantities.js';
import { CHECKPOINTS } from '../../../projections/projector/checkpoints.js';
import { LogIdentity } from '../../../projections/projector/log-identity.js';
import { EnduringClient } from '../../../storage/postgres/enduring-client.js';
import { createTable } from '../../../storage/tables/table.js';
import { siteLogTable } from '../api/site-log.js';
import { SiteActivity, siteActivityTable } from '../site-log/site-activity.js';
import { ActivityReactor } from './activity-reactor.js';

const poolFor = (config: pg.PoolConfig) =>
  new pg.Pool({ ...config, Client: EnduringClient }).on('error', () => undefined);

describe('The activity reactor', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let pool: pg.Pool;
  let store: MemoryStore;
  const running: { readonly stopping: AbortController; readonly reactor: ActivityReactor; readonly pool: pg.Pool }[] =
    [];
  let events = 0;

  beforeEach(async () => {
    database = await freshDatabase();
    pool = poolFor(database.config);
    store = new MemoryStore(7);
    await createTable(pool, siteLogTable);
    await createTable(pool, siteActivityTable);
    await pool.query(CHECKPOINTS);
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map(end));
    await pool.end();
    await database.drop();
  });

  /** Starts a reactor with its own database connections, as another process would. */
  async function start(engine = 'postgresql') {
    const own = poolFor(database.config);
    const identity = new LogIdentity(own, store);
    await identity.check(engine);
    const reactor = new ActivityReactor(store, new SiteActivity(own), identity);
    const process = { reactor, pool: own, stopping: new AbortController() };
    running.push(process);
    reactor.start(process.stopping.signal);
    return process;
  }
  async function end({ stopping, reactor, pool: own }: (typeof running)[number]) {
    stopping.abort();
    await reactor.stopped();
    await own.end();
  }

  async function write(stream: string, at: Date, ...made: DomainEvent[]) {
    const { head } = await store.read(stream);
    const about = { at: at.toISOString(), actor: { kind: 'system' } as const };
    await store.append(
      stream,
      head,
      made.map((event) => ({ ...event, ...about, id: `evt_${++events}` })),
    );
  }
  const now = () => new Date();
  const told = async () => {
    const { rows } = await pool.query<{ message: string }>('select message from site_activity order by id');
    return rows.map(({ message }) => message);
  };
  const untilTold = async (message: string) => {
    while ((await told()).at(-1) !== message) await new Promise(setImmediate);
  };

  it('logs events of sites and their jobs in order', async () => {
    await start();
    await write(siteStream('site_1'), now(), created, deployed(1));
    await write(jobStream('job_1'), now(), queued, startedBy('a'));
    await write(
      jobStream('job_1'),
      now(),
      JobLogged({ step: 'build', lines: [{ n: 1, stream: 'stdout', text: 'hm' }] }),
    );
    await write(jobStream('job_1'), now(), JobFailed({ code: 'build_failed', message: 'no\u0000\u001b[31m luck\n' }));
    await untilTold('Job failed: no\ufffd\ufffd[31m luck');
    expect(await told()).toEqual([
      'Created as amber-otter',
      'Deploy 1: 1 file, 100 bytes',
      'Job queued',
      'Job started',
      'Job failed: no\ufffd\ufffd[31m luck',
    ]);
    const { rows } = await pool.query('select distinct site_id from site_activity');
    expect(rows).toEqual([{ site_id: 'site_1' }]);
  });

  it('names a deploy by its number if the event has only its ID', async () => {
    await start();
    const crashed = SiteServerCrashed({ deployId: deployed(2).data.deployId, reason: 'It ended.' });
    await write(siteStream('site_1'), now(), created, deployed(1), deployed(2), crashed);
    await untilTold('The server for deploy 2 crashed: It ended.');
  });

  it('moves its checkpoint past events without entries, so that readers need not wait', async () => {
    await start();
    await write(jobStream('job_1'), now(), queued);
    await untilTold('Job queued');
    await write(
      jobStream('job_1'),
      now(),
      JobLogged({ step: 'build', lines: [{ n: 1, stream: 'stdout', text: 'hm' }] }),
    );
    const end = await store.lastPosition();
    const activity = new SiteActivity(pool);
    const log = await new LogIdentity(pool, store).name();
    while ((await activity.position(log)) < end) await new Promise(setImmediate);
    expect(await told()).toEqual(['Job queued']);
  });

  it('starts at the beginning of the log, but skips events older than the retention time', async () => {
    const old = new Date(Date.now() - 31 * 86_400_000);
    await write(jobStream('job_1'), old, queued);
    await write(siteStream('site_1'), old, created);
    await write(jobStream('job_2'), now(), JobForgotten({}));
    await write(jobStream('job_1'), now(), startedBy('a'));
    await write(siteStream('site_1'), now(), deployed(1));
    await start();
    await untilTold('Deploy 1: 1 file, 100 bytes');
    expect(await told()).toEqual(['Job started', 'Deploy 1: 1 file, 100 bytes']);
  });

  it('logs each event once, even with several processes and lost connections', async () => {
    const MANY = 300;
    await Promise.all([start(), start(), start()]);
    for (let number = 1; number <= MANY; number++) {
      await write(siteStream('site_1'), now(), deployed(number));
      if (number % 30 === 0) {
        await pool.query(
          'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
        );
      }
      if (number % 50 === 0) {
        const [first] = running.splice(0, 1);
        if (first) await end(first);
        await start();
      }
    }
    const expected = Array.from({ length: MANY }, (_, n) => deployed(n + 1).data.number);
    await untilTold(`Deploy ${MANY}: ${MANY} files, ${formatBytes(MANY * 100)}`);
    expect((await told()).map((message) => Number(/^Deploy (\d+):/.exec(message)?.[1]))).toEqual(expected);
  }, 60_000);

  it('logs each event once, even after the log was moved to another engine', async () => {
    await write(siteStream('site_1'), now(), created, deployed(1));
    const first = await start();
    await untilTold('Deploy 1: 1 file, 100 bytes');
    await end(first);
    running.splice(0);
    await start('kurrentdb');
    await write(siteStream('site_1'), now(), deployed(2));
    await untilTold('Deploy 2: 2 files, 200 bytes');
    expect(await told()).toHaveLength(3);
  });

  it('deletes earlier activity of a deleted site', async () => {
    await start();
    await write(siteStream('site_1'), now(), created, deployed(1));
    await write(siteStream('site_2'), now(), created);
    await untilTold('Created as amber-otter');
    await write(siteStream('site_1'), now(), SiteDeleted({}));
    await untilTold('Deleted');
    expect(await told()).toEqual(['Created as amber-otter', 'Deleted']);
  });
});
