// needs: database

import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hanging } from '../support/database/test-database.js';
import { type Disasters, survives } from '../support/faults/disasters.js';
import { UnderLoad } from '../support/faults/under-load.js';

/** Must be less than three, because a job fails when it loses its worker for the third time. */
const KILLS = 2;

describe('A process under load during PostgreSQL outages and its own crashes', () => {
  let all: UnderLoad;

  beforeAll(async () => {
    all = await UnderLoad.begin();
  }, 240_000);
  afterAll(() => all?.close(), 120_000);

  const disasters: Disasters = {
    'PostgreSQL crashes and recovers': async () => {
      const { child, printed } = all.stele;
      const before = printed().length;
      process.kill(await all.postgres(), 'SIGQUIT');
      while (!printed().slice(before).includes('PostgreSQL is running again.')) await once(child.stderr!, 'data');
    },
    'PostgreSQL hangs for three seconds': async () => hanging(await all.postgres(), () => delay(3_000)),
    'the process is killed and restarted, twice': async () => {
      for (let times = 0; times < KILLS; times++) {
        await all.clients.whileDead(async () => {
          expect(await all.stele.stop('SIGKILL')).toBe('SIGKILL');
          await all.start();
        });
        await delay(randomInt(1_000));
      }
    },
    'both die at once': () =>
      all.clients.whileDead(async () => {
        const postgres = await all.postgres();
        expect(await all.stele.stop('SIGKILL')).toBe('SIGKILL');
        process.kill(postgres, 'SIGQUIT');
        await all.start();
      }),
  };

  survives(disasters, () => all.clients);

  it('no acknowledged write is lost, and the read models match the log', async () => {
    const { clients } = all;
    await clients.stop();
    expect(clients.wrong).toEqual([]);
    expect(await all.verified()).toEqual({ code: 0, out: expect.not.stringContaining('NOT'), err: expect.any(String) });
  }, 240_000);
});
