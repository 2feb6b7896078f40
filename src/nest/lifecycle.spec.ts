import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { Lifecycle, type Service } from './lifecycle.js';
import { ROLES } from './roles.js';

const everything = new Set(ROLES);

describe('The lifecycle of a process', () => {
  function services(...names: string[]) {
    const log: string[] = [];
    const all = names.map((name): Service & { start(signal: AbortSignal): Promise<void> } => ({
      name,
      async start(signal) {
        log.push(`${name} starts`);
        await Promise.resolve();
        log.push(`${name} started`);
        signal.addEventListener('abort', () => log.push(`${name} is told`));
      },
      async stop() {
        log.push(`${name} stops`);
        await Promise.resolve();
        log.push(`${name} stopped`);
      },
    }));
    return { log, all };
  }

  it('starts only the services that match its roles', async () => {
    const { log, all } = services('store', 'index', 'jobs');
    const [store, index, jobs] = all;
    const some = [store!, { ...index!, roles: ['serve' as const] }, { ...jobs!, roles: ['worker', 'api'] as const }];
    await new Lifecycle(new Set(['api']), () => some).onApplicationBootstrap();
    expect(log).toEqual(['store starts', 'store started', 'jobs starts', 'jobs started']);
  });

  it('starts services in order, each after the previous one has started', async () => {
    const { log, all } = services('store', 'index');
    await new Lifecycle(everything, () => all).onApplicationBootstrap();
    expect(log).toEqual(['store starts', 'store started', 'index starts', 'index started']);
  });

  it('stops services in reverse order, each after the previous one has stopped', async () => {
    const { log, all } = services('store', 'index');
    const life = new Lifecycle(everything, () => all);
    await life.onApplicationBootstrap();
    log.length = 0;
    await life.beforeApplicationShutdown();
    expect(log).toEqual([
      'index is told',
      'index stops',
      'index stopped',
      'store is told',
      'store stops',
      'store stopped',
    ]);
  });

  it('stops the started services, including the failed one, if a service cannot start', async () => {
    const { log, all } = services('store', 'index', 'collection');
    const failing = { ...all[1]!, start: () => Promise.reject(new Error('no index')) };
    const life = new Lifecycle(everything, () => [all[0]!, failing, all[2]!]);
    await expect(life.onApplicationBootstrap()).rejects.toThrow('no index');
    log.length = 0;
    await life.beforeApplicationShutdown();
    expect(log).toEqual(['index stops', 'index stopped', 'store is told', 'store stops', 'store stopped']);
  });

  it('stops the other services if one cannot stop, and then rejects with its error', async () => {
    const { log, all } = services('store', 'index');
    const failing: Service = {
      name: 'jobs',
      start: async () => undefined,
      stop: () => Promise.reject(new Error('jobs are stuck')),
    };
    const life = new Lifecycle(everything, () => [all[0]!, failing, all[1]!]);
    await life.onApplicationBootstrap();
    log.length = 0;
    await expect(life.beforeApplicationShutdown()).rejects.toThrow('jobs are stuck');
    expect(log.filter((line) => line.endsWith('stopped'))).toEqual(['index stopped', 'store stopped']);
  });

  it('after an interruption, starts no further services and notifies those that have started', async () => {
    const { log, all } = services('store', 'index');
    const life: Lifecycle = new Lifecycle(everything, () => [
      all[0]!,
      { name: 'rebuild', start: async (signal) => void once(signal, 'abort').then(() => log.push('rebuild is told')) },
      { name: 'interruption', start: async () => life.interrupt() },
      all[1]!,
    ]);
    await expect(life.onApplicationBootstrap()).rejects.toThrow('The start was interrupted.');
    expect(log).toEqual(['store starts', 'store started', 'store is told', 'rebuild is told']);
  });

  it('accepts a service without a stop method', async () => {
    const life = new Lifecycle(everything, () => [{ name: 'clock', start: async () => undefined }]);
    await life.onApplicationBootstrap();
    await life.beforeApplicationShutdown();
  });
});
