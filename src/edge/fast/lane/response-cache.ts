import type { CachedResponse } from '../../http/server/first-handler.js';
import type { CopyForSendfile, OffHeapFile } from '../off-heap-file.js';

const MAX_BYTES = 32 * 1024 * 1024;

/**
 * From this size up, `sendfile` costs less than writing to the socket: a fifth less at 64 KiB, but no less at 16 KiB
 * (lab note 0053). Making a copy costs as much as ten uses of the copy save.
 */
const SENDFILE_FROM_BYTES = 32 * 1024;
const SENDFILE_AFTER_HITS = 16;

export type PreparedResponse = {
  readonly bytes: Buffer;
  /** A copy of `bytes` for `sendfile`. Null while there is no copy, as for responses that are small or rarely sent. */
  readonly offHeapFile: OffHeapFile | null;
};

/**
 * Caches complete responses, including their `Date`, because sending one buffer costs a fifth less than building the
 * response again. A response is cached when it is sent for the second time within the same clock second. When that
 * clock second ends, all cached responses are dropped.
 */
export class ResponseCache {
  /**
   * Keyed by the response’s head, which contains the ETag. The value is null if the response has been sent only once.
   */
  readonly #withBody = new Map<string, CacheEntry | null>();
  readonly #headsOnly = new Map<string, CacheEntry | null>();
  #bytesLeft = MAX_BYTES;
  #date = '';

  constructor(
    /** The header fields that end every response head, followed by the empty line. */
    readonly ending: string,
    private readonly copyForSendfile: CopyForSendfile,
  ) {}

  /** The `Date` header field for the current second (RFC 9110 section 6.6.1), including its line break. */
  get date(): string {
    if (this.#date === '') this.#startSecond();
    return this.#date;
  }

  get({ head, body }: CachedResponse): PreparedResponse | null {
    if (this.#date === '') this.#startSecond();
    const entries = body === null ? this.#headsOnly : this.#withBody;
    const entry = entries.get(head);
    if (entry) return this.#hit(entry);
    if (entry === undefined) {
      if (this.#reserve(head.length)) entries.set(head, null);
    } else if (this.#reserve(head.length + (body?.length ?? 0))) return this.#make(entries, head, body);
    return null;
  }

  #make(entries: Map<string, CacheEntry | null>, head: string, body: CachedResponse['body']): CacheEntry {
    const before = Buffer.from(head + this.#date + this.ending, 'latin1');
    const after = typeof body === 'string' ? Buffer.from(body, 'latin1') : body;
    const entry = new CacheEntry(after === null ? before : Buffer.concat([before, after]));
    entries.set(head, entry);
    return entry;
  }

  #hit(entry: CacheEntry): CacheEntry {
    const { length } = entry.bytes;
    if (++entry.hits === SENDFILE_AFTER_HITS && length >= SENDFILE_FROM_BYTES && this.#reserve(length))
      void entry.copyOffHeap(this.copyForSendfile);
    return entry;
  }

  #reserve(bytes: number): boolean {
    if (bytes > this.#bytesLeft) return false;
    this.#bytesLeft -= bytes;
    return true;
  }

  #startSecond() {
    const now = new Date();
    this.#date = `Date: ${now.toUTCString()}\r\n`;
    setTimeout(() => this.#endSecond(), 1_000 - now.getMilliseconds()).unref();
  }

  #endSecond() {
    this.#date = '';
    for (const entry of this.#withBody.values()) entry?.expire();
    this.#withBody.clear();
    this.#headsOnly.clear();
    this.#bytesLeft = MAX_BYTES;
  }
}

class CacheEntry implements PreparedResponse {
  offHeapFile: OffHeapFile | null = null;
  hits = 0;
  #isOver = false;

  constructor(readonly bytes: Buffer) {}

  async copyOffHeap(copyForSendfile: CopyForSendfile) {
    const copy = await copyForSendfile(this.bytes);
    if (this.#isOver) copy?.release();
    else this.offHeapFile = copy;
  }

  expire() {
    this.#isOver = true;
    this.offHeapFile?.release();
  }
}
