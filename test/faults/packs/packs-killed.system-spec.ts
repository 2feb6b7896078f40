// needs: database

import { spawn } from 'node:child_process';
import { createHash, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PacksUnderTest } from '../../support/content/packs.js';
import { sized } from '../../support/jest/sized.js';

const rounds = sized(20, 8);
const program = fileURLToPath(new URL('./packs-writer.ts', import.meta.url));
const loader = fileURLToPath(new URL('../../support/jest/register-typescript.js', import.meta.url));

describe('A process that is killed while it receives deploys', () => {
  let packs: PacksUnderTest;

  beforeAll(async () => {
    packs = await PacksUnderTest.open();
  });
  afterAll(() => packs.close());

  /** Kills the process soon after a random number of acknowledgements, and returns the acknowledged content. */
  const killed = async (folder: string): Promise<{ sha256: string; size: number }[]> => {
    const child = spawn(process.execPath, ['--import', loader, program, folder, JSON.stringify(packs.database)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const acknowledged: { sha256: string; size: number }[] = [];
    const lines = createInterface(child.stdout);
    const least = randomInt(15, 60);
    const enough = Promise.withResolvers<void>();
    lines.on('line', (line) => {
      // The kill may have truncated the last line.
      const [, sha256, size] = /^([0-9a-f]{64}) (\d+)$/.exec(line) ?? [];
      if (sha256) acknowledged.push({ sha256, size: Number(size) });
      if (acknowledged.length >= least) enough.resolve();
    });
    const closed = once(lines, 'close');
    await enough.promise;
    await setTimeout(randomInt(0, 60));
    child.kill('SIGKILL');
    await once(child, 'exit');
    await closed;
    acknowledged.pop();
    return acknowledged;
  };

  it(`all acknowledged content exists and the index can be rebuilt after each of ${rounds} kills`, async () => {
    let checked = 0;
    for (let round = 0; round < rounds; round++) {
      const folder = join(packs.folder, `round-${round}`);
      const acknowledged = await killed(folder);
      const store = await packs.store({}, folder);
      const allAreRight = async () => {
        for (const { sha256, size } of acknowledged) {
          const content = await store.read(sha256);
          expect({ sha256: createHash('sha256').update(content).digest('hex'), size: content.length }).toEqual({
            sha256,
            size,
          });
        }
      };
      await allAreRight();

      const before = await packs.rows();
      await packs.loseIndex();
      await store.rebuildIndex();
      // The rebuilt index may also list content whose storage was not acknowledged.
      const after = new Set(await packs.rows());
      expect(before.filter((row) => !after.has(row))).toEqual([]);
      await allAreRight();

      checked += acknowledged.length;
      await packs.loseIndex();
    }
    expect(checked).toBeGreaterThan(rounds * 10);
  }, 180_000);
});
