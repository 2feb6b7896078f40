// needs: database

import { createHash, randomBytes, randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deploy, naming, PacksUnderTest } from '../../support/content/packs.js';

const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

const workers = 4;

describe('Collecting unused content while two processes receive deploys', () => {
  let packs: PacksUnderTest;

  beforeAll(async () => {
    packs = await PacksUnderTest.open();
  });
  afterAll(() => packs.close());

  it('the collector never removes content that a deploy uses, and frees all other space', async () => {
    const stores = [await packs.store({ packBytes: 300_000 }), await packs.store({ packBytes: 300_000 })];
    const contents = new Map<string, Buffer>();
    for (let i = 0; i < 150; i++) {
      const content = randomBytes(i % 30 === 0 ? 1_200_000 : randomInt(10, 20_000));
      contents.set(digestOf(content), content);
    }
    const all = [...contents.keys()];
    const sites: string[][] = [];
    const until = Date.now() + 6_000;
    let hasFailed = false;
    const deploys = Array.from({ length: workers }, () => 0);
    let collected = 0;
    let moved = 0;
    const isEnough = () =>
      hasFailed || (Date.now() >= until && Math.min(...deploys) > 10 && collected > 50 && moved > 0);
    const endingAll = (doing: Promise<void>) =>
      doing.catch((error) => {
        hasFailed = true;
        throw error;
      });

    async function deployAgainAndAgain(worker: number) {
      const store = stores[worker % 2]!;
      while (!isEnough()) {
        const chosen = Array.from({ length: randomInt(1, 12) }, () => all[randomInt(all.length)]!);
        // Half of the deploys upload only the content that is missing.
        const there = randomInt(2) ? await store.touch(chosen) : new Map<string, number>();
        await deploy(store, ...chosen.filter((sha256) => !there.has(sha256)).map((sha256) => contents.get(sha256)!));
        sites[worker] = chosen;
        deploys[worker]!++;
        for (const sha256 of chosen) expect(digestOf(await store.read(sha256))).toBe(sha256);
      }
    }

    async function* named() {
      for (const site of [...sites]) yield site ?? [];
    }

    /**
     * Advances the clock by 11 hours at a time. In between, waits until every worker has finished a deploy, so that no
     * deploy takes longer than 11 hours.
     */
    async function collectAgainAndAgain() {
      let turn = 0;
      while (!isEnough()) {
        const before = [...deploys];
        packs.pass(11);
        while (deploys.some((count, worker) => count === before[worker]) && !isEnough()) {
          const { blobs, moved: bytes } = await stores[turn++ % 2]!.collect(named());
          collected += blobs;
          moved += bytes;
          for (const sha256 of sites.flat()) expect(digestOf(await stores[turn % 2]!.read(sha256))).toBe(sha256);
        }
      }
    }

    const deploying = deploys.map((_, worker) => deployAgainAndAgain(worker));
    await Promise.all([...deploying, collectAgainAndAgain()].map(endingAll));
    for (const sha256 of sites.flat()) expect(digestOf(await stores[0]!.read(sha256))).toBe(sha256);

    for (let days = 0; days < 3; days++) {
      packs.pass(26);
      await stores[0]!.collect(naming());
    }
    expect(await packs.bytes()).toBe(0);
    expect(await packs.rows()).toEqual([]);
  }, 180_000);
});
