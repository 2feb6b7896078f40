import { formatNumber, plural } from '../../../kernel/output/quantities.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import type { BlobStore } from '../../../storage/blobs/blob-store.js';

/** Splits a body into segments and stores them one after another, so that bytes are kept if the connection breaks. */
class UploadSegments {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer | null = null;
  #fault: unknown = null;
  #ended = false;

  constructor(body: AsyncIterable<Buffer>) {
    this.#chunks = body[Symbol.asyncIterator]();
  }

  /** Resolves to true at the end of the body, or to false once more data has arrived. */
  async isOver(): Promise<boolean> {
    this.#rest ??= await this.#next();
    return this.#rest === null;
  }

  /**
   * Yields up to `most` bytes. Ends without an error if the connection breaks. Afterwards, `assertWhole` throws the
   * error.
   */
  async *take(most: number): AsyncGenerator<Buffer> {
    for (let left = most; left > 0; ) {
      const chunk = this.#rest ?? (await this.#next());
      if (chunk === null) return;
      this.#rest = chunk.length > left ? chunk.subarray(left) : null;
      const taken = chunk.length > left ? chunk.subarray(0, left) : chunk;
      left -= taken.length;
      yield taken;
    }
  }

  /** Throws the error that ended the body early, if any. */
  assertWhole(): void {
    if (this.#fault !== null) throw this.#fault;
  }

  async #next(): Promise<Buffer | null> {
    if (this.#ended) return null;
    try {
      const { done, value } = await this.#chunks.next();
      if (!done) return value;
    } catch (error) {
      this.#fault = error;
    }
    this.#ended = true;
    return null;
  }
}

/**
 * Size of a segment. If a process is killed, at most one segment is lost. After an interruption, a file of at most this
 * size has to be sent again as a whole.
 */
const SEGMENT = 8 * 1_048_576;

export type Upload = {
  readonly sha256: string;
  readonly size: number;
  /** Number of bytes that are stored durably. */
  readonly received: number;
};

export type UploadRecord<Held extends Upload> = {
  readonly add: (upload: Held, at: number, part: string, length: number) => Promise<boolean>;
  readonly parts: (upload: Held) => Promise<readonly string[]>;
  readonly complete: (upload: Held) => Promise<boolean>;
  /** Discards the bytes of an upload that do not match the declared digest or size, so that the upload starts over. */
  readonly drop: (upload: Held) => Promise<void>;
};

export type Sent = {
  readonly body: AsyncIterable<Buffer>;
  /** Whether the upload is complete after this request. */
  readonly isLast: boolean;
};

/**
 * Receives bytes at the current offset of an upload, in bounded memory. Returns the number of bytes that are stored
 * durably. If the connection breaks, received bytes are kept, except for files of a single segment. Does not store
 * bytes beyond the declared size. Throws `digest_mismatch`, or `conflict` if another request changed the upload.
 */
export async function receiveUpload<Held extends Upload>(
  blobs: BlobStore,
  record: UploadRecord<Held>,
  upload: Held,
  { body, isLast }: Sent,
): Promise<number> {
  const { size } = upload;
  if (isLast && upload.received === 0 && size <= SEGMENT) {
    await storeOrDrop(blobs, record, upload, within(body, size));
    return size;
  }
  const received = await holdSegments(blobs, record, upload, body);
  if (!isLast) return received;
  if (received < size)
    refuse('digest_mismatch', `Expected ${plural(size, 'byte')} but received ${formatNumber(received)}.`);
  await storeOrDrop(blobs, record, upload, wholeOf(blobs, await record.parts(upload)));
  return size;
}

async function storeOrDrop<Held extends Upload>(
  blobs: BlobStore,
  record: UploadRecord<Held>,
  upload: Held,
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  try {
    await store(blobs, upload, content);
  } catch (error) {
    if (error instanceof Refusal && error.code === 'digest_mismatch') await record.drop(upload);
    throw error;
  }
  if (!(await record.complete(upload))) refuseRaced();
}

async function holdSegments<Held extends Upload>(
  blobs: BlobStore,
  record: UploadRecord<Held>,
  upload: Held,
  body: AsyncIterable<Buffer>,
): Promise<number> {
  const segments = new UploadSegments(within(body, upload.size - upload.received));
  let { received } = upload;
  while (!(await segments.isOver())) {
    const intake = blobs.begin();
    try {
      const { sha256, size } = await intake.add(segments.take(SEGMENT));
      await intake.seal();
      if (!(await record.add(upload, received, sha256, size))) refuseRaced();
      received += size;
    } finally {
      await intake.abandon();
    }
  }
  segments.assertWhole();
  return received;
}

/** Stores content, and checks that it has the declared size and digest. */
async function store(blobs: BlobStore, { sha256, size }: Upload, content: AsyncIterable<Uint8Array>): Promise<void> {
  const intake = blobs.begin();
  try {
    const stored = await intake.add(content);
    if (stored.size !== size)
      refuse('digest_mismatch', `Expected ${plural(size, 'byte')} but received ${formatNumber(stored.size)}.`);
    if (stored.sha256 !== sha256)
      refuse('digest_mismatch', `The SHA-256 digest of the content is ${stored.sha256}, not ${sha256}.`);
    await intake.seal();
  } finally {
    await intake.abandon();
  }
}

const refuseRaced = (): never =>
  refuse(
    'conflict',
    'Another request is sending or has restarted this upload. Get its current offset with HEAD and continue from there.',
  );

/** Yields a body. Throws as soon as the body exceeds `most` bytes. */
async function* within(body: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > most) refuse('digest_mismatch', 'The request sent more bytes than the upload’s declared size.');
    yield chunk;
  }
}

async function* wholeOf(blobs: BlobStore, parts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield* blobs.stream(part);
}
