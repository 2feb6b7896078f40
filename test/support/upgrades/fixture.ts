import { createReadStream, createWriteStream } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import { create, extract } from 'tar';
import type { Story } from './story.js';

/** Folder of the fixtures, each of which is named after the commit that created it. */
const FOLDER = 'test/fixtures/upgrades';
const path = (commit: string) => join(FOLDER, `${commit}.tar.zst`);

/**
 * Uses a large compression window to find repetitions that are far apart: a fresh database contains three copies of the
 * same catalog, and its write-ahead log mostly repeats its tables.
 */
const WINDOW = { [constants.ZSTD_c_windowLog]: 27, [constants.ZSTD_c_enableLongDistanceMatching]: 1 };
const SMALLEST = { [constants.ZSTD_c_compressionLevel]: 19, ...WINDOW };

export async function pack(commit: string, dataFolder: string, story: Story): Promise<string> {
  await writeFile(join(dataFolder, 'story.json'), `${JSON.stringify(story, null, 1)}\n`);
  const parts = create({ cwd: dataFolder, filter: (name) => !/outbox|\.sock|compiled/.test(name) }, ['.']);
  await pipeline(parts, createZstdCompress({ params: SMALLEST }), createWriteStream(path(commit)));
  return path(commit);
}

export async function unpack(commit: string, dataFolder: string): Promise<Story> {
  const params = { [constants.ZSTD_d_windowLogMax]: 27 };
  await pipeline(createReadStream(path(commit)), createZstdDecompress({ params }), extract({ cwd: dataFolder }));
  const story = join(dataFolder, 'story.json');
  const told: Story = JSON.parse(await readFile(story, 'utf8'));
  await rm(story);
  return told;
}
