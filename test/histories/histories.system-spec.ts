// needs: database

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { begin, finish, histories } from '../support/histories/history-commands.js';
import { TwoProcesses } from '../support/histories/two-processes.js';

/**
 * A fixed sample runs by default. `npm run histories` sets a duration in minutes instead, and prints the random seed.
 */
const minutes = Number(process.env.STELE_HISTORIES_MINUTES ?? 0);
const isSample = minutes === 0;
const seed = Number(process.env.STELE_HISTORIES_SEED ?? (isSample ? 29 : Date.now() % 1_000_000));

describe('Random histories of several users on two processes', () => {
  let processes: TwoProcesses;

  beforeAll(async () => {
    processes = await TwoProcesses.start();
  }, 120_000);
  afterAll(() => processes?.stop(), 120_000);

  it('each random history has an order of requests that explains all responses and the final state', async () => {
    const seen = { histories: 0, acts: 0 };
    const all = histories(
      isSample ? { kills: 0, rebuilds: 0 } : { kills: 2, rebuilds: 1, repositories: 2 },
      isSample ? 12 : 40,
    );
    const end = isSample ? Number.POSITIVE_INFINITY : Date.now() + minutes * 60_000;
    const property = fc.asyncProperty(all, async (commands) => {
      if (Date.now() > end) return;
      const { kept, run } = await begin(processes, `h${(seen.histories++).toString(36)}${Date.now().toString(36)}`);
      await fc.asyncModelRun(() => ({ model: kept, real: run }), commands);
      await finish(kept, run);
      seen.acts += run.acts;
    });
    if (!isSample) console.log(`STELE_HISTORIES_SEED=${seed}, ${minutes} minutes`);
    const told = await fc.check(property, { seed, numRuns: isSample ? 3 : 10_000 });
    if (!isSample) {
      await processes.projections('verify');
      console.log(`${seen.histories} histories of ${seen.acts} acts`);
    }
    expect(told.failed ? `${fc.defaultReportMessage(told)}\n${told.errorInstance}` : '').toBe('');
  }, 7_200_000);

  it('a history can be explained even if a process is killed during several operations', async () => {
    const { kept, run } = await begin(processes, `k${Date.now().toString(36)}`);
    const all = histories({ kills: 40, rebuilds: 0 }, 3);
    const commands = fc.sample(all, { seed: 27, numRuns: 2 }).at(-1);
    if (commands) await fc.asyncModelRun(() => ({ model: kept, real: run }), commands);
    await finish(kept, run);
  }, 240_000);
});
