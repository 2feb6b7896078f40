import { mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { KeptDependencies } from '../../kernel/ports/outside/builder.js';
import { type CacheLimits, DependencyCache } from './dependency-cache.js';

const A = 'a'.repeat(64);
const B = 'b'.repeat(64);
const C = 'c'.repeat(64);
const DAY_MS = 86_400_000;
const MIB = 1_048_576;

const KEPT: KeptDependencies = { jobId: 'job_1', kind: 'packages', haveInstallScripts: false };

const LIMITS: CacheLimits = {
  longestMs: 14 * DAY_MS,
  mostBytes: 10 * MIB,
  mostOfOne: 8 * MIB,
  inUseMs: 600_000,
  leastFree: 0,
};

describe('DependencyCache', () => {
  let folder: string;
  let cache: DependencyCache;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stele-cache-'));
    cache = new DependencyCache(folder, LIMITS);
    await cache.start('one');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const filled = async (key: string, text: string, bytes = 0) => {
    const entry = await cache.begin(key, KEPT);
    if (!entry) throw new Error('There is no room.');
    await writeFile(join(entry.folder, 'text'), text);
    await writeFile(join(entry.folder, 'bytes'), Buffer.alloc(bytes, 1));
    return entry;
  };
  const keep = async (key: string, text: string, bytes = 0) => (await filled(key, text, bytes)).keep();
  const found = async (key: string) => {
    const entry = await cache.find(key);
    return entry && readFile(join(entry.folder, 'text'), 'utf8');
  };
  const usedAgo = async (key: string, ms: number) => {
    const at = new Date(Date.now() - ms);
    await utimes(join(folder, key), at, at);
  };
  const names = async () => (await readdir(folder)).filter((name) => name !== 'boot').sort();

  it('dependencies can be found only under their own key', async () => {
    await keep(A, 'of a');
    expect([await found(A), await found(B)]).toEqual(['of a', null]);
  });

  it('the cache records which job installed the dependencies, and builds cannot change that record', async () => {
    const entry = await filled(A, 'of a');
    await writeFile(join(entry.folder, 'about.json'), '{}');
    await entry.keep();
    expect((await cache.find(A))?.kept).toEqual(KEPT);
  });

  it('only complete entries can be found', async () => {
    const entry = await filled(A, 'half');
    expect(await found(A)).toBeNull();
    await entry.abandon();
    await entry.keep();
    expect([await found(A), await names()]).toEqual([null, []]);
  });

  it('if two builds install the same dependencies at the same time, only the first entry is kept', async () => {
    const [one, other] = await Promise.all([filled(A, 'one'), filled(A, 'other')]);
    await one.keep();
    await other.keep();
    expect([await found(A), await names()]).toEqual(['one', [A]]);
  });

  it('if many entries for one key are completed at the same moment, exactly one is kept', async () => {
    const entries = await Promise.all(Array.from({ length: 8 }, (_, n) => filled(A, String(n))));
    await Promise.all(entries.map(({ keep }) => keep()));
    expect(await found(A)).toMatch(/^[0-7]$/);
    expect(await names()).toEqual([A]);
  });

  it('after a crash, complete entries are kept and unfinished ones removed', async () => {
    await keep(A, 'of a');
    await filled(B, 'half');
    const [half = ''] = (await names()).filter((name) => name.startsWith('new-'));
    await usedAgo(half, DAY_MS);
    cache = new DependencyCache(folder, LIMITS);
    await cache.start('one');
    expect([await found(A), await names()]).toEqual(['of a', [A]]);
  });

  it('after a reboot, all entries are discarded', async () => {
    await keep(A, 'of a');
    cache = new DependencyCache(folder, LIMITS);
    await cache.start('two');
    expect([await found(A), await names()]).toEqual([null, []]);
  });

  it('if the cache is full, the least recently used entries are evicted', async () => {
    for (const key of [A, B]) await keep(key, key, 4 * MIB);
    await usedAgo(A, 2 * DAY_MS);
    await usedAgo(B, DAY_MS);
    await found(A);
    await usedAgo(A, 3_600_000);
    await keep(C, 'of c', 4 * MIB);
    expect(await names()).toEqual([A, C]);
  });

  it('entries that builds may be reading are not evicted, even if no new entry can be kept', async () => {
    for (const key of [A, B]) await keep(key, key, 4 * MIB);
    await keep(C, 'of c', 4 * MIB);
    expect(await names()).toEqual([A, B]);
  });

  it('an entry that is too large is not kept', async () => {
    await keep(A, 'of a', 9 * MIB);
    expect(await names()).toEqual([]);
  });

  it('no entry is kept if the disk is nearly full', async () => {
    cache = new DependencyCache(folder, { ...LIMITS, leastFree: Number.MAX_SAFE_INTEGER });
    expect([await cache.hasRoom(), await cache.begin(A, KEPT)]).toEqual([false, null]);
  });

  it('entries that have not been used for a long time are removed', async () => {
    await keep(A, 'of a');
    await usedAgo(A, 15 * DAY_MS);
    await cache.clean();
    expect(await names()).toEqual([]);
  });

  it('an entry’s size is measured, even if a build has recorded a different size', async () => {
    const entry = await filled(A, 'of a', 4 * MIB);
    await writeFile(join(entry.folder, '..', 'bytes'), '-9000000000');
    await entry.keep();
    expect(Number(await readFile(join(folder, A, 'bytes'), 'utf8'))).toBeGreaterThan(4 * MIB);
  });

  it('an entry that contains links and unusual file names is removed without following a link', async () => {
    const outside = join(folder, 'boot');
    const entry = await filled(A, 'of a');
    const strange = join(entry.folder, 'node_modules', '-rf\n\u0001');
    await mkdir(strange, { recursive: true });
    await symlink(outside, join(strange, 'link'));
    await symlink(folder, join(entry.folder, 'node_modules', 'up'));
    await entry.keep();
    await cache.forget(A);
    expect([await names(), await readFile(outside, 'utf8')]).toEqual([[], 'one']);
  });
});
