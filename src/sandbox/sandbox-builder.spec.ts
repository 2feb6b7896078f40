import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Isolation, Walls } from './isolation.js';
import { SandboxBuilder } from './sandbox-builder.js';
import { reachablePlace } from './workspace/place.js';

const insideFile = fileURLToPath(new URL('inside/inside.ts', import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stele-builder-'));
  await chmod(folder, 0o711);
});
afterEach(async () => {
  await rm(await place(), { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
});

const place = () => reachablePlace(join(folder, 'builds'));

const isolationWith = (members: Partial<Isolation>): Isolation => ({
  engine: 'bubblewrap',
  start: async () => null,
  prepare: async () => undefined,
  clear: async () => undefined,
  walls: () => Promise.reject(new Error('There are no walls.')),
  ...members,
});

const builderWith = (isolation: Isolation) =>
  new SandboxBuilder([isolation], {
    folder: join(folder, 'builds'),
    hosts: new Map(),
    lookup: async () => [],
    insideFile,
  });

/** Returns mounts and folders of sandboxes. */
async function sandboxes(): Promise<readonly string[]> {
  const at = await place();
  const mounts = (await readFile('/proc/self/mounts', 'utf8')).split('\n').filter((line) => line.includes(at));
  const folders = (await readdir(join(at, 'rooms'), { recursive: true })).filter((path) => path.includes('/'));
  return [...mounts, ...folders];
}

describe('The test run of a builder', () => {
  it('ends when the service stops, which waits until its sandbox has been removed', async () => {
    const running = Promise.withResolvers<void>();
    const walls: Walls = {
      run: (_command, _onOutput, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          running.resolve();
        }),
      remove: async () => undefined,
    };
    const stopping = new AbortController();
    const builder = builderWith(isolationWith({ walls: async () => walls }));
    void builder.start(process.env, stopping.signal);
    await running.promise;
    expect(await sandboxes()).not.toEqual([]);
    stopping.abort();
    await builder.stopped();
    expect(await sandboxes()).toEqual([]);
    expect(builder.missing).toMatch('still starting');
  }, 60_000);

  it.each(['start', 'prepare'] as const)(
    'a stop does not wait for an engine that hangs in `%s`',
    async (member) => {
      const begun = Promise.withResolvers<void>();
      const hang = () => {
        begun.resolve();
        return Promise.withResolvers<never>().promise;
      };
      const stopping = new AbortController();
      const builder = builderWith(isolationWith({ [member]: hang }));
      void builder.start(process.env, stopping.signal);
      await begun.promise;
      stopping.abort();
      await builder.stopped();
      expect(builder.missing).toMatch('still starting');
    },
    60_000,
  );

  it('removes the disk of a sandbox that could not be isolated', async () => {
    const builder = builderWith(isolationWith({}));
    await builder.start(process.env, new AbortController().signal);
    expect(builder.missing).toBe('Could not test whether builds work: There are no walls.');
    expect(await sandboxes()).toEqual([]);
  }, 60_000);
});
