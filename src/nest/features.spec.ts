import { describe, expect, it } from '@jest/globals';
import { Injectable, Module } from '@nestjs/common';
import { DiscoveryModule, DiscoveryService, NestFactory } from '@nestjs/core';
import { features } from './features.js';
import { collectLoops } from './loops.js';
import { type FinishesRequests, finishRequests, type PreparesToStop, prepareToStop } from './stopping.js';

const calls: string[] = [];

@Injectable()
class Sweeper {
  start(signal: AbortSignal) {
    calls.push(signal.aborted ? 'started too late' : 'started');
  }

  async stopped() {
    calls.push('stopped');
  }
}

@Injectable()
class Waiters implements PreparesToStop, FinishesRequests {
  prepareToStop() {
    calls.push('prepared');
  }

  async finishRequests(withinMs: number) {
    calls.push(`finished within ${withinMs}`);
  }
}

@Module(
  features(
    { loops: [{ name: 'sweeps', role: 'worker', run: Sweeper }] },
    { providers: [Waiters, { provide: 'the same waiters', useExisting: Waiters }] },
  ),
)
class SweepingModule {}

@Module({ imports: [DiscoveryModule, SweepingModule] })
class RootModule {}

async function discover(): Promise<DiscoveryService> {
  calls.length = 0;
  const app = await NestFactory.createApplicationContext(RootModule, { logger: false });
  return app.get(DiscoveryService);
}

describe('Features that modules declare', () => {
  it('the background loops of all modules run as one service with the worker role', async () => {
    const [service, ...others] = collectLoops(await discover());
    expect(others).toEqual([]);
    expect(service).toMatchObject({ name: 'sweeps', roles: ['worker'] });
    await service?.start(new AbortController().signal);
    await service?.stop?.();
    expect(calls).toEqual(['started', 'stopped']);
  });

  it('each provider is prepared for stopping only once, even if it is registered under two tokens', async () => {
    const discovery = await discover();
    await prepareToStop(discovery);
    await finishRequests(discovery, 500);
    expect(calls).toEqual(['prepared', 'finished within 500']);
  });
});
