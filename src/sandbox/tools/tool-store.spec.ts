import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ToolStore } from './tool-store.js';

const { signal } = new AbortController();
const SIZE = 1_048_576;
const LIMITS = { inAll: 4.5 * SIZE, ofOwner: 3.5 * SIZE };

describe('ToolStore', () => {
  let folder: string;
  let installed: string[];
  let alive: Set<string>;
  let store: ToolStore;

  const storeOf = async (process: string) => {
    alive.add(process);
    const made = new ToolStore(
      { tools: join(folder, 'tools'), state: join(folder, 'state') },
      async (spec) => {
        installed.push(spec);
        if (spec.endsWith('@99.0.0')) return null;
        const place = await mkdtemp(join(folder, 'made-'));
        await mkdir(join(place, 'node_modules/.bin'), { recursive: true });
        await writeFile(join(place, 'program'), Buffer.alloc(SIZE, 1));
        return { folder: place, remove: () => rm(place, { recursive: true, force: true }) };
      },
      { name: process, isAlive: async (name) => alive.has(name) },
      LIMITS,
    );
    await made.start();
    return made;
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stele-tools-'));
    installed = [];
    alive = new Set();
    store = await storeOf('first');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const provide = (version: string, share: string, by = store) => by.provide({ name: 'pnpm', version }, share, signal);
  /** Simulates a finished build that used the given version of a tool. The higher the version, the later the use. */
  const used = async (version: string, share: string, by = store) => {
    const provided = await provide(version, share, by);
    if (typeof provided === 'string') return provided;
    await provided.release();
    const at = new Date(Date.now() - 86_400_000 + Number(version.split('.')[2]) * 60_000);
    await utimes(join(folder, 'tools', `pnpm@${version}`), at, at);
    return 'provided';
  };
  const kept = async () => (await readdir(join(folder, 'tools'))).map((name) => name.slice('pnpm@'.length)).sort();

  it('simultaneous requests fetch a tool only once', async () => {
    const all = await Promise.all(['a', 'b', 'a'].map((share) => provide('10.0.0', share)));
    expect(all).toEqual(all.map(() => ({ release: expect.any(Function) })));
    expect(installed).toEqual(['pnpm@10.0.0']);
  });

  it('a version that does not exist in the registry is reported, and requested again the next time', async () => {
    expect([await provide('99.0.0', 'a'), await provide('99.0.0', 'a')]).toEqual(['unavailable', 'unavailable']);
    expect(installed).toHaveLength(2);
  });

  it('an owner’s tools are limited to the owner’s share, even if the store has space left', async () => {
    for (let n = 1; n <= 6; n++) expect(await used(`9.0.${n}`, 'greedy')).toBe('provided');
    expect(await kept()).toEqual(['9.0.4', '9.0.5', '9.0.6']);
  });

  it('if the store is full, the least recently used tools of the owner with the most tools are evicted', async () => {
    await used('1.0.0', 'other');
    for (const n of [1, 2, 3]) await used(`9.0.${n}`, 'greedy');
    await used('9.0.1', 'other');
    await utimes(join(folder, 'tools/pnpm@9.0.1'), new Date(), new Date());
    expect(await used('2.0.0', 'third')).toBe('provided');
    expect(await kept()).toEqual(['1.0.0', '2.0.0', '9.0.1', '9.0.3']);
  });

  it('old tools are kept while builds of any process are using them', async () => {
    const second = await storeOf('second');
    const inUse = [];
    for (const n of [1, 2, 3]) inUse.push(await provide(`9.0.${n}`, 'greedy', n === 2 ? second : store));
    const longAgo = new Date(0);
    for (const name of await readdir(join(folder, 'tools')))
      await utimes(join(folder, 'tools', name), longAgo, longAgo);
    expect(await provide('9.0.4', 'greedy')).toBe('owner_full');
    expect(await used('1.0.0', 'other')).toBe('provided');
    expect(await used('2.0.0', 'third')).toBe('provided');
    expect(await kept()).toEqual(['2.0.0', '9.0.1', '9.0.2', '9.0.3']);
    // A process that has ended or was killed no longer uses its tools.
    alive.delete('second');
    expect(await used('9.0.4', 'greedy')).toBe('provided');
    expect(await kept()).toEqual(['2.0.0', '9.0.1', '9.0.3', '9.0.4']);
    for (const each of inUse) if (typeof each !== 'string') await each.release();
    expect(await used('9.0.5', 'greedy')).toBe('provided');
  });

  it('a tool is refused if running builds use all of the space', async () => {
    for (const [n, share] of ['a', 'a', 'b', 'b'].entries()) await provide(`9.0.${n}`, share);
    expect(await provide('1.0.0', 'c')).toBe('full');
    expect(await readdir(join(folder, 'state/removed'))).toEqual([]);
  });

  it('tools that were fetched before the service kept records are counted too', async () => {
    for (const n of [1, 2, 3, 4]) await used(`9.0.${n}`, n < 3 ? 'a' : 'b');
    await rm(join(folder, 'state/records'), { recursive: true });
    store = await storeOf('later');
    expect(await used('1.0.0', 'c')).toBe('provided');
    expect(await kept()).toEqual(['1.0.0', '9.0.2', '9.0.3', '9.0.4']);
  });
});
