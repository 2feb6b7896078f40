import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ToolStore } from './tool-store.js';

const { signal } = new AbortController();

describe('Package managers of exact versions', () => {
  let folder: string;
  let installed: string[];
  let store: ToolStore;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stele-tools-'));
    installed = [];
    store = new ToolStore(join(folder, 'tools'), async (spec) => {
      installed.push(spec);
      if (spec.endsWith('@99.0.0')) return null;
      const place = await mkdtemp(join(folder, 'made-'));
      await mkdir(join(place, 'node_modules/.bin'), { recursive: true });
      return { folder: place, remove: () => rm(place, { recursive: true, force: true }) };
    });
    await mkdir(join(folder, 'tools'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const pnpm = (version: string) => store.provide({ name: 'pnpm', version }, signal);

  it('are fetched once, however many ask at once', async () => {
    expect(await Promise.all([pnpm('10.0.0'), pnpm('10.0.0'), pnpm('10.0.0')])).toEqual([true, true, true]);
    expect(installed).toEqual(['pnpm@10.0.0']);
  });

  it('are none where the registry has none of that version, and are asked for again', async () => {
    expect([await pnpm('99.0.0'), await pnpm('99.0.0')]).toEqual([false, false]);
    expect(installed).toHaveLength(2);
  });

  it('are forty at most: the one that was not asked for longest goes, unless it may be in use', async () => {
    for (let n = 0; n < 40; n++) await pnpm(`9.0.${n}`);
    expect(await pnpm('10.0.0')).toBe(false);
    const longAgo = new Date(Date.now() - 86_400_000);
    for (const n of [7, 8]) await utimes(join(folder, 'tools', `pnpm@9.0.${n}`), longAgo, longAgo);
    await pnpm('9.0.7');
    expect(await pnpm('10.0.0')).toBe(true);
    const names = await readdir(join(folder, 'tools'));
    expect(names).toHaveLength(40);
    expect(names).toEqual(expect.arrayContaining(['pnpm@9.0.7', 'pnpm@10.0.0']));
    expect(names).not.toContain('pnpm@9.0.8');
  });
});
