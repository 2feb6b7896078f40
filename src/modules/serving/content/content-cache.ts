import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';
import { Injectable, Logger } from '@nestjs/common';
import type { Coding } from '../../../edge/http/negotiation/accept-encoding.js';
import { Semaphore } from '../../../kernel/concurrency/semaphore.js';
import { BlobStore } from '../../../storage/blobs/blob-store.js';
import { Body, BodyCache } from './body-cache.js';
import { EncodingBudget } from './encoding-budget.js';
import { readFile, type StoredFile } from './file-bytes.js';
import { SharedWork } from './shared-work.js';

const [brotli, zstd, zip] = [promisify(brotliCompress), promisify(zstdCompress), promisify(gzip)];

/**
 * Maximum size for the best brotli quality, which takes 2.5 s of CPU time per mebibyte. Larger files get a lower
 * quality.
 */
const MAX_BEST_QUALITY_BYTES = 1_048_576;

/** Compresses content quickly while the visitor waits (64 KiB of script: 0.2 to 0.8 ms). */
function encodeQuickly(coding: Coding, bytes: Buffer): Promise<Buffer> {
  if (coding === 'br') return withBrotli(bytes, 4);
  return coding === 'zstd' ? withZstd(bytes, 3) : zip(bytes, { level: 4 });
}

/**
 * Compresses content as well as possible. Brotli output is a fifth smaller than that of `encodeQuickly`, but takes 300
 * times as long.
 */
function encodeWell(coding: Coding, bytes: Buffer): Promise<Buffer> {
  const isLarge = bytes.length > MAX_BEST_QUALITY_BYTES;
  if (coding === 'br') return withBrotli(bytes, isLarge ? 9 : 11);
  return coding === 'zstd' ? withZstd(bytes, isLarge ? 12 : 19) : zip(bytes, { level: 9 });
}

const withBrotli = (bytes: Buffer, quality: number) =>
  brotli(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: quality,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  });

/**
 * Compresses with zstd. The window is at most 8 MiB, the size that decoders should support (RFC 8878 section
 * 3.1.1.1.2).
 */
const withZstd = (bytes: Buffer, level: number) =>
  zstd(bytes, {
    params: {
      [constants.ZSTD_c_compressionLevel]: level,
      [constants.ZSTD_c_windowLog]: Math.min(23, windowFor(bytes.length)),
    },
  });

const windowFor = (size: number) => Math.max(10, Math.ceil(Math.log2(size + 1)));

/** Content up to this size is read, sent and cached as a whole. Larger content is streamed. */
export const WHOLE = 262_144;

/**
 * Capacity of the cache in bytes. The rest of the process uses about as much memory, so everything fits on a machine
 * with 512 MiB.
 */
const CAPACITY = 128 * 1_024 * 1_024;

/** Maximum number of concurrent quick compressions. libuv has four threads, which also read files. */
const QUICK_AT_ONCE = 2;
const QUICK_WAITING = 64;
const WELL_WAITING = 1_024;

const MEBIBYTE = 1_048_576;

/**
 * Compression budgets of each site in uncompressed bytes: the maximum, and the amount added per second. A mebibyte
 * takes 12 ms of CPU time with quick compression, and 2.5 s with the best brotli quality. A site that exceeds the
 * budget for quick compression gets uncompressed content. A site that exceeds the budget for the best quality gets
 * quick compression.
 */
const QUICK_OF_A_SITE = [64 * MEBIBYTE, MEBIBYTE] as const;
const WELL_OF_A_SITE = [16 * MEBIBYTE, MEBIBYTE / 16] as const;

/** Compressed content is used only if its size is at most this fraction of the original size. */
const WORTH = 0.95;

/** Provides content in the form in which it is sent, from memory or from the blob store. */
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

  constructor(private readonly blobs: BlobStore) {}

  kept(sha256: string, coding: Coding | null): Body | undefined {
    return this.#memory.get(sha256, coding);
  }

  /** Returns the uncompressed content, which must not be larger than `WHOLE`. */
  whole(file: StoredFile): Promise<Body> {
    const { sha256 } = file;
    return this.#reading.of(sha256, async () => this.#memory.get(sha256, null) ?? (await this.#read(file)));
  }

  /** Returns the compressed content, or null if too much is being compressed or the site's budget is used up. */
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

  /**
   * Compresses content again in the background at a higher quality, one file at a time. If the queue is full or the
   * budget is used up, the quickly compressed body remains until it is evicted and requested again.
   */
  #encodeWell(file: StoredFile, coding: Coding) {
    const encoding = this.#well.run(async () => {
      // Skip the work if a better body already exists, or if the quickly compressed one was evicted in the meantime.
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
