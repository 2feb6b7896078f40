// needs: database

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Call, type Fault, StandIn } from '../support/eventstore/kurrent/stand-in.js';
import { type Disasters, survives } from '../support/faults/disasters.js';
import { UnderLoad } from '../support/faults/under-load.js';

describe('A process under load during EventStoreDB outages', () => {
  let server: StandIn;
  let all: UnderLoad;

  beforeAll(async () => {
    server = await StandIn.start();
    all = await UnderLoad.begin({ EVENTSTORE_URL: server.url });
  }, 240_000);
  afterAll(async () => {
    await all?.close();
    server?.stop();
  }, 120_000);

  /** Makes five calls fail, one at a time, with successful calls in between. */
  const sometimes = async (call: Call, fault: Fault) => {
    for (let times = 0; times < 5; times++) {
      server.goWrong(call, fault, 1);
      while ((server.faults.get(call)?.times ?? 0) > 0) await delay(10);
      await delay(100);
    }
  };

  const disasters: Disasters = {
    'is repeatedly disconnected': () => sometimes('append', 'cut'),
    'loses its responses after it has run the requests': () => sometimes('append', 'lost'),
    'disconnects in the middle of a read': () => sometimes('read', 'lost'),
    'ends reads halfway': () => sometimes('read', 'short'),
    'is silent for some seconds': async () => {
      for (const call of ['append', 'read', 'subscribe'] as const) server.goWrong(call, 'silent');
      await delay(3_000);
      server.faults.clear();
    },
    'runs requests without a response until every client was refused': async () => {
      server.goWrong('append', 'mute');
      await all.clients.answered();
      server.faults.clear();
    },
    'is away for three seconds': async () => {
      server.stop();
      await delay(3_000);
      await server.listen();
    },
    'is away while the process is killed and restarted': () =>
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
    'loses its responses after it has run the requests',
    'ends reads halfway',
    'is away for three seconds',
    'is away while the process is killed and restarted',
  ]);

  it('each event is stored once, no acknowledged event is lost, and the read models match the log', async () => {
    const { clients } = all;
    await clients.stop();
    expect(clients.wrong).toEqual([]);
    const ids = server.log.ours().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(await all.verified()).toEqual({ code: 0, out: expect.not.stringContaining('NOT'), err: expect.any(String) });
  }, 240_000);
});
