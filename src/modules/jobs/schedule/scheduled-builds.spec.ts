import { beforeEach, describe, expect, it } from '@jest/globals';
import { source } from '../../../../test/support/events/job-examples.js';
import { RandomIds } from '../../../adapters/random-ids.js';
import type { Repositories } from '../../../kernel/ports/outside/repositories.js';
import { Refusal } from '../../../kernel/refusal.js';
import type { ScheduledBuildRow } from '../../../projections/models/scheduled-build.projection.js';
import type { DueBuild, RepositoryLinks } from '../../sites/api/repository-links.js';
import type { JobCreator } from '../job-creator.js';
import { CronSchedules } from './cron-schedules.js';
import { ScheduledBuilds } from './scheduled-builds.js';

const HEAD = '1'.repeat(40);
const DUE = '2026-11-20T03:00:00.000Z';
const at = (time: string) => new Date(`2026-11-20T${time}Z`);

describe('Scheduled builds', () => {
  let row: ScheduledBuildRow;
  let build: Partial<DueBuild>;
  let head: () => Promise<string | null>;
  let asked: number;
  /** `queued` lists the jobs that were queued, `recorded` the scheduled times that were recorded on the site. */
  let queued: string[];
  let recorded: string[];
  let failing: 'queueing' | 'recording' | null;

  beforeEach(() => {
    row = { siteId: 'site_1', schedule: '0 3 * * *', doneUntil: at('00:00:00') };
    build = { skipUnchanged: false, liveCommit: HEAD };
    head = async () => HEAD;
    asked = 0;
    queued = [];
    recorded = [];
    failing = null;
  });

  /** Simulates another process, or a restart of the same one. */
  function process(): ScheduledBuilds {
    const starter = { by: null, memberId: null, trust: 'link' as const, linkId: 'lnk_1' };
    const target = { siteId: row.siteId, slug: 'amber-otter', source, isNew: false, starter };
    const links: Partial<RepositoryLinks> = {
      findDueBuild: async (_, dueAt) => (recorded.includes(dueAt) ? null : ({ target, ...build } as DueBuild)),
      recordDueBuild: async (_, jobId, dueAt) => {
        if (failing === 'recording') throw new Error('The store is away.');
        expect(queued).toContain(jobId);
        recorded.push(dueAt);
      },
    };
    const queue: Partial<JobCreator> = {
      add: async (_, { jobId }) => {
        if (failing === 'queueing') throw new Error('The store is away.');
        queued.push(jobId);
        return 1n;
      },
    };
    const repositories: Partial<Repositories> = {
      head: (address) => {
        expect(address).toMatchObject({ url: source.url, isBranch: true });
        asked++;
        return head();
      },
    };
    return new ScheduledBuilds(
      { find: async () => [row] },
      links as RepositoryLinks,
      repositories as Repositories,
      new CronSchedules(),
      queue as JobCreator,
      new RandomIds(),
    );
  }
  const look = (by: ScheduledBuilds, time: string) => by.queueDue(at(time), new AbortController().signal);

  it('scheduled builds start within five minutes of their time, at the same second in all processes', async () => {
    const starts = Array.from({ length: 300 }, (_, second) => second);
    const startOf = async (siteId: string) => {
      row = { ...row, siteId };
      for (const second of starts) {
        const time = `03:0${Math.floor(second / 60)}:${String(second % 60).padStart(2, '0')}`;
        await look(process(), time);
        if (recorded.length > 0) return second;
      }
      return null;
    };
    const first = await startOf('site_1');
    recorded = [];
    expect(await startOf('site_1')).toBe(first);
    recorded = [];
    const others = new Set<number | null>();
    for (const siteId of ['site_2', 'site_3', 'site_4']) {
      others.add(await startOf(siteId));
      recorded = [];
    }
    expect(first).not.toBeNull();
    expect(others).not.toContain(null);
    expect(new Set([first, ...others]).size).toBeGreaterThan(1);
  });

  it('no build starts before its scheduled time, or for a time before the repository was linked', async () => {
    await look(process(), '02:59:59');
    row = { ...row, doneUntil: at('03:00:00') };
    await look(process(), '12:00:00');
    expect(queued).toEqual([]);
  });

  it('a scheduled build is queued as a single job, even by several processes', async () => {
    const [one, other] = [process(), process()];
    await Promise.all([look(one, '04:00:00'), look(other, '04:00:00')]);
    await look(one, '04:00:10');
    expect(new Set(queued).size).toBe(1);
    expect(new Set(recorded)).toEqual(new Set([DUE]));
  });

  it('builds that were missed for days are replaced by a single build', async () => {
    row = { ...row, doneUntil: new Date('2026-11-01T00:00:00Z') };
    await look(process(), '04:00:00');
    expect(recorded).toEqual([DUE]);
  });

  it.each(['queueing', 'recording'] as const)(
    'a scheduled build is retried as the same job if %s fails',
    async (what) => {
      failing = what;
      const one = process();
      await look(one, '04:00:00');
      expect(recorded).toEqual([]);
      failing = null;
      await look(one, '04:00:10');
      expect(recorded).toEqual([DUE]);
      expect(new Set(queued).size).toBe(1);
    },
  );

  describe('Scheduled builds of unchanged repositories', () => {
    beforeEach(() => {
      build = { skipUnchanged: true, liveCommit: HEAD };
    });

    it('a build is skipped if the live deploy was built from the head commit', async () => {
      const one = process();
      await look(one, '04:00:00');
      await look(one, '04:00:10');
      expect([queued, asked]).toEqual([[], 1]);
    });

    it.each<[string, () => Promise<string | null>]>([
      ['there is a new commit', async () => '2'.repeat(40)],
      ['the host does not report the head commit', async () => null],
      ['the host does not respond', () => Promise.reject(new Refusal('repo_unreachable'))],
    ])('a build is queued if %s', async (_, says) => {
      head = says;
      await look(process(), '04:00:00');
      expect(recorded).toEqual([DUE]);
    });

    it('a build is queued if the site has no deploy yet', async () => {
      build = { skipUnchanged: true, liveCommit: null };
      await look(process(), '04:00:00');
      expect([recorded, asked]).toEqual([[DUE], 0]);
    });
  });
});
