import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Call, type Fault, StandIn } from '../support/eventstore/kurrent/stand-in.js';
import { type Disasters, survives } from '../support/faults/disasters.js';
import { UnderLoad } from '../support/faults/under-load.js';

describe('One process under load during EventStoreDB outages', () => {
  let server: StandIn;
  let all: UnderLoad;

  beforeAll(async () => {
    server = await StandIn.start();
    all = await UnderLoad.begin({ EVENTSTORE_URL: server.url });
  }, 120_000);
  afterAll(async () => {
    await all?.close();
    server?.stop();
  }, 60_000);

  /** Some calls go wrong, one at a time; in between others do not. */
  const sometimes = async (call: Call, fault: Fault) => {
    for (let times = 0; times < 5; times++) {
      server.goWrong(call, fault, 1);
      while ((server.faults.get(call)?.times ?? 0) > 0) await delay(10);
      await delay(100);
    }
  };

  const disasters: Disasters = {
    'is cut off again and again': () => sometimes('append', 'cut'),
    'does what it is asked, and its answers are lost': () => sometimes('append', 'lost'),
    'breaks off in the middle of what is read': () => sometimes('read', 'lost'),
    'ends what is read half-way': () => sometimes('read', 'short'),
    'says nothing for some seconds': async () => {
      for (const call of ['append', 'read', 'subscribe'] as const) server.goWrong(call, 'silent');
      await delay(3_000);
      server.faults.clear();
    },
    'does what it is asked and does not say so, until everybody was told': async () => {
      server.goWrong('append', 'mute');
      await all.clients.answered();
      server.faults.clear();
    },
    'is away for three seconds': async () => {
      server.stop();
      await delay(3_000);
      await server.listen();
    },
    'is away while the process is killed and started again': () =>
      all.clients.whileDead(async () => {
        expect(await all.stele.stop('SIGKILL')).toBe('SIGKILL');
        server.stop();
        const started = all.start();
        await delay(1_000);
        await server.listen();
        await started;
      }),
  };

  survives(disasters, () => all.clients, [
    'does what it is asked, and its answers are lost',
    'ends what is read half-way',
    'is away for three seconds',
    'is away while the process is killed and started again',
  ]);

  it('stores each event once, loses nothing acknowledged, and its rows match the log', async () => {
    const { clients } = all;
    await clients.stop();
    expect(clients.wrong).toEqual([]);
    const ids = server.log.ours().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(await all.verified()).toEqual({ code: 0, out: expect.not.stringContaining('NOT'), err: expect.any(String) });
  }, 120_000);
});
