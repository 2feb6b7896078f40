import { randomBytes, randomInt } from 'node:crypto';
import pg from 'pg';
import { DiskPacks } from '../../../src/storage/blobs/disk.engine.js';

/** Runs five deploys at a time until it is killed. Prints `digest size` for each acknowledged piece of content. */
const [folder = '', database = '{}'] = process.argv.slice(2);
const store = new DiskPacks(folder, new pg.Pool(JSON.parse(database)));
await store.start();

async function* film() {
  for (let i = 0; i < 20; i++) yield randomBytes(64 * 1024);
}

async function deployForEver() {
  for (;;) {
    const intake = store.begin();
    const lines: string[] = [];
    for (let files = randomInt(1, 8); files > 0; files--) {
      const { sha256, size } = await intake.add(randomInt(12) === 0 ? film() : randomBytes(randomInt(1, 30_000)));
      lines.push(`${sha256} ${size}\n`);
    }
    await intake.seal();
    process.stdout.write(lines.join(''));
  }
}

await Promise.all(Array.from({ length: 5 }, deployForEver));
