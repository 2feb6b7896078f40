import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Coding } from '../../../kernel/accept-encoding.js';
import { Semaphore } from '../../../kernel/concurrency/semaphore.js';
import { BlobStore } from '../../../storage/blobs/blob-store.js';
import { Body, BodyCache } from './body-cache.js';
import { EncodingBudget } from './encoding-budget.js';
import { encodeQuickly, encodeWell } from './encodings.js';
import { readFile, type StoredFile } from './file-bytes.js';
import { SharedWork } from './shared-work.js';

/** Content up to this size is read, checked and sent in one piece and kept; what is larger is streamed. Bytes. */
export const WHOLE = 262_144;

/** Of all bodies kept, in bytes. The rest of the process takes about as much, so that both fit a machine of 512 MiB. */
const CAPACITY = 128 * 1_024 * 1_024;

/** Quick codings made at once: libuv has four threads, and files are read by them too. */
const QUICK_AT_ONCE = 2;
const QUICK_WAITING = 64;
const WELL_WAITING = 1_024;

const MEBIBYTE = 1_048_576;

/**
 * Of one site, in bytes of plain text and in each second: a mebibyte takes 12 ms of a core quickly, and well 2.5 s in
 * brotli. Past the first it is sent plain, past the second as it was compressed quickly.
 */
const QUICK_OF_A_SITE = [64 * MEBIBYTE, MEBIBYTE] as const;
const WELL_OF_A_SITE = [16 * MEBIBYTE, MEBIBYTE / 16] as const;

/** A coding must save this much to be worth its trouble. */
const WORTH = 0.95;

/** Contents as they are sent: from memory where they were sent lately, else from the blob store. */
@Injectable()
export class ContentCache {
  readonly #log = new Logger('Serving');
  readonly #memory = new BodyCache(CAPACITY);
  readonly #reading = new SharedWork<Body>();
  readonly #encoding = new SharedWork<Body | null>();
  readonly #quick = new Semaphore(QUICK_AT_ONCE, QUICK_WAITING);
  readonly #well = new Semaphore(1, WELL_WAITING);
  readonly #quickBudget = new EncodingBudget(...QUICK_OF_A_SITE);
  readonly #wellBudget = new EncodingBudget(...WELL_OF_A_SITE);

  constructor(@Inject(BlobStore) private readonly blobs: BlobStore) {}

  /** The body, if it is in memory. */
  kept(sha256: string, coding: Coding | null): Body | undefined {
    return this.#memory.get(sha256, coding);
  }

  /** The plain content, which must have `WHOLE` bytes at most. */
  whole(file: StoredFile): Promise<Body> {
    const { sha256 } = file;
    return this.#reading.of(sha256, async () => this.#memory.get(sha256, null) ?? (await this.#read(file)));
  }

  /**
   * The content in this coding; null where too much is being compressed just now, or was lately of this site: then it is
   * sent plain.
   */
  encoded(file: StoredFile, coding: Coding, siteId: string): Promise<Body | null> {
    const { sha256 } = file;
    return this.#encoding.of(`${sha256} ${coding}`, async () => {
      const kept = this.#memory.get(sha256, coding);
      if (kept) return kept;
      if (!this.#quickBudget.take(siteId, file.size)) return null;
      return this.#quick.run(() => this.#encodeQuickly(file, coding, siteId));
    });
  }

  async #read(file: StoredFile): Promise<Body> {
    const body = new Body(file.sha256, null, false, await readFile(this.blobs, file));
    this.#memory.put(body);
    return body;
  }

  async #encodeQuickly(file: StoredFile, coding: Coding, siteId: string): Promise<Body> {
    const plain = await this.#bytesOf(file);
    const body = this.#keep(file.sha256, coding, true, plain, await encodeQuickly(coding, plain));
    if (body.bytes !== null && this.#wellBudget.take(siteId, file.size)) this.#encodeWell(file, coding);
    return body;
  }

  /** In the background, one at a time. Where the queue is full or the site has had its share, it is tried again when the quick one has left memory. */
  #encodeWell(file: StoredFile, coding: Coding) {
    const encoding = this.#well.run(async () => {
      // It was made already, or has left memory meanwhile.
      if (!this.#memory.get(file.sha256, coding)?.isQuick) return;
      const plain = await this.#bytesOf(file);
      this.#keep(file.sha256, coding, false, plain, await encodeWell(coding, plain));
    });
    encoding?.catch((error) => this.#log.warn(`Could not compress ${file.path} at a higher level: ${error}`));
  }

  #keep(sha256: string, coding: Coding, isQuick: boolean, plain: Buffer, encoded: Buffer): Body {
    const isWorth = encoded.length < plain.length * WORTH;
    const body = new Body(sha256, coding, isQuick && isWorth, isWorth ? encoded : null);
    this.#memory.put(body);
    return body;
  }

  async #bytesOf(file: StoredFile): Promise<Buffer> {
    return file.size <= WHOLE ? (await this.whole(file)).buffer : readFile(this.blobs, file);
  }
}
