import type { BlobIndex } from '../index/blob-index.js';
import type { LocatedRecord } from '../index/record-location.js';
import type { OpenPackPool } from './open-packs.js';
import { headerBytes } from './pack.format.js';
import type { PackFile } from './pack-file.js';
import type { PackFolder } from './pack-folder.js';
import { RecordWriter } from './record-writer.js';

const contentsAtOnce = 1_000;
const readAtOnce = 1024 * 1024;

export class PackCompactor {
  constructor(
    private readonly storage: PackFolder,
    private readonly packs: OpenPackPool,
    private readonly index: BlobIndex,
  ) {}

  /**
   * Moves live content out of a pack. Returns the number of bytes moved and the number of damaged records left
   * behind.
   */
  async empty(from: string): Promise<{ bytes: number; left: number }> {
    let bytes = 0;
    let left = 0;
    for (let start = 0; ; ) {
      const contents = await this.index.inPack(from, start, contentsAtOnce);
      const last = contents.at(-1);
      if (!last) return { bytes, left };
      const copies = await this.#copyAll(from, contents);
      for (const { target } of copies) bytes += target.length;
      left += contents.length - copies.length;
      start = last.start + 1;
    }
  }

  async #copyAll(
    from: string,
    contents: readonly LocatedRecord[],
  ): Promise<{ source: LocatedRecord; target: LocatedRecord }[]> {
    const pack = await this.packs.acquire();
    let kept = pack.length;
    try {
      if (pack.id === from)
        throw new Error(`Pack ${from} is still being written to. The system clock may have jumped.`);
      const copies: { source: LocatedRecord; target: LocatedRecord }[] = [];
      for (const source of contents) {
        const target = await this.#copy(source, pack);
        if (target) copies.push({ source, target });
        else await this.index.damaged(source.sha256, source);
      }
      if (copies.length === 0) return copies;
      await pack.sync();
      kept = pack.length;
      await this.index.move(from, copies);
      return copies;
    } finally {
      if (pack.length > kept) await pack.truncate(kept);
      await this.packs.release(pack);
    }
  }

  /**
   * Copies a record. Returns the location of the copy, which is not synced yet, or undefined if the record is
   * damaged.
   */
  async #copy(source: LocatedRecord, to: PackFile): Promise<LocatedRecord | undefined> {
    const record = new RecordWriter(to);
    for (let at = 0; at < source.length; ) {
      const bytes = await this.storage.read(
        source.pack,
        source.start + headerBytes + at,
        Math.min(readAtOnce, source.length - at),
      );
      if (bytes.length === 0) break;
      await record.write(bytes);
      at += bytes.length;
    }
    const copied = record.end();
    if (copied.sha256 === source.sha256) return record.keep(copied);
    await record.discard();
    return undefined;
  }
}
