import type { BlobIndex } from '../index/blob-index.js';
import type { Placed } from '../index/record-location.js';
import type { OpenPacks } from './open-packs.js';
import { headerBytes } from './pack.format.js';
import type { OpenPack, PackStorage } from './pack-storage.js';
import { RecordWriter } from './record-writer.js';

const contentsAtOnce = 1_000;
const readAtOnce = 1024 * 1024;

/** Copies what lives in a pack to another one. */
export class Mover {
  constructor(
    private readonly storage: PackStorage,
    private readonly packs: OpenPacks,
    private readonly index: BlobIndex,
  ) {}

  /** Bytes of content that were moved, and how many contents were left because they are damaged. */
  async empty(from: string): Promise<{ bytes: number; left: number }> {
    let bytes = 0;
    let left = 0;
    for (let start = 0; ; ) {
      const contents = await this.index.within(from, start, contentsAtOnce);
      const last = contents.at(-1);
      if (!last) return { bytes, left };
      const copies = await this.#copyAll(from, contents);
      for (const { is } of copies) bytes += is.length;
      left += contents.length - copies.length;
      start = last.start + 1;
    }
  }

  async #copyAll(from: string, contents: readonly Placed[]): Promise<{ was: Placed; is: Placed }[]> {
    const pack = await this.packs.lend();
    let kept = pack.length;
    try {
      if (pack.id === from) throw new Error(`Pack ${from} is still being written to: the clock has jumped.`);
      const copies: { was: Placed; is: Placed }[] = [];
      for (const was of contents) {
        const is = await this.#copy(was, pack);
        if (is) copies.push({ was, is });
        else await this.index.damaged(was.sha256, was);
      }
      if (copies.length === 0) return copies;
      await pack.sync();
      kept = pack.length;
      await this.index.move(from, copies);
      return copies;
    } finally {
      if (pack.length > kept) await pack.truncate(kept);
      await this.packs.takeBack(pack);
    }
  }

  /** Where the synced-to-be copy is; undefined when what was read is not the content. */
  async #copy(was: Placed, to: OpenPack): Promise<Placed | undefined> {
    const record = new RecordWriter(to);
    for (let at = 0; at < was.length; ) {
      const bytes = await this.storage.read(
        was.pack,
        was.start + headerBytes + at,
        Math.min(readAtOnce, was.length - at),
      );
      if (bytes.length === 0) break;
      await record.write(bytes);
      at += bytes.length;
    }
    const copied = record.end();
    if (copied.sha256 === was.sha256) return record.keep(copied);
    await record.discard();
    return undefined;
  }
}
