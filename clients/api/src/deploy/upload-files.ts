import { type FileHandle, open, readFile } from 'node:fs/promises';
import type { Stele } from '../client.js';
import { type SentBytes, splitContent } from '../network/bodies.js';
import { canRetry, computeDelay, countAttempts, DEFAULT_POLICY, pause } from '../network/retries.js';
import { ProblemError } from '../problem.js';
import { ByteLimit } from './byte-limit.js';
import { FolderChangedError, readFolderChange } from './folder-changed-error.js';
import type { HashedFile } from './hash-files.js';

/** Number of files that are sent at the same time. */
const CONCURRENCY = 8;
/** The upload of a larger file can be resumed. A smaller file is sent again from the beginning. */
const RESUMABLE_FROM = 8 * 1024 * 1024;
/** Maximum total size of the smaller files that are sent at the same time. An interrupted deploy has to resend these. */
const MAX_LOST_BYTES = RESUMABLE_FROM;
const CHUNK_BYTES = 64 * 1024;
/**
 * Number of buffers that an upload uses in turn. If each chunk had a new buffer, V8 would free them only after about
 * 100 MB of garbage. Reuse is safe, because Node's `fetch` requests a chunk only when the connection has accepted the
 * previous one, and never holds more than 128 KiB.
 */
const BUFFERS = 8;
/** Maximum number of consecutive retries without progress. They take about a minute. */
const MAX_FAILURES = 10;

export type UploadOptions = { readonly onSent?: SentBytes | undefined; readonly signal?: AbortSignal | undefined };

/** Uploads the content of files, and identical content only once. Resumes interrupted uploads of large files. */
export async function uploadFiles(
  stele: Stele,
  files: readonly HashedFile[],
  { onSent, signal }: UploadOptions = {},
): Promise<void> {
  const queue = [...new Map(files.map((file) => [file.sha256, file])).values()].reverse();
  const stop = new AbortController();
  const either = AbortSignal.any([stop.signal, ...(signal ? [signal] : [])]);
  const limit = new ByteLimit(MAX_LOST_BYTES);
  const upload = (file: HashedFile) => {
    const send = () => uploadFile(stele, file, { onSent, signal: either });
    return file.size > RESUMABLE_FROM ? send() : limit.run(file.size, send);
  };
  const work = async () => {
    for (let file = queue.pop(); file; file = queue.pop()) await upload(file);
  };
  try {
    await Promise.all(
      Array.from({ length: Math.min(CONCURRENCY, queue.length) }, () =>
        work().catch((error) => {
          queue.length = 0;
          stop.abort(error);
          throw error;
        }),
      ),
    );
  } catch (error) {
    throw signal?.aborted ? signal.reason : stop.signal.aborted ? stop.signal.reason : error;
  }
}

async function uploadFile(stele: Stele, file: HashedFile, { onSent, signal }: UploadOptions): Promise<void> {
  const isLarge = file.size > RESUMABLE_FROM;
  let sent = 0;
  let best = 0;
  const advance = (to: number) => {
    onSent?.(to - sent);
    sent = to;
  };
  for (let failures = 0; ; ) {
    try {
      const offset = isLarge ? await readOffset(stele, file, signal) : 0;
      advance(offset);
      if (offset > best) [best, failures] = [offset, 0];
      if (offset < file.size || file.size === 0)
        await (isLarge
          ? sendFrom(stele, file, offset, { onSent: (bytes) => advance(sent + bytes), signal })
          : sendWhole(stele, file, { onChunk: advance, signal }));
      advance(file.size);
      return;
    } catch (reason) {
      const error = readFolderChange(reason, file.path);
      if (error instanceof ProblemError && error.code === 'digest_mismatch') throw new FolderChangedError(file.path);
      failures += 1;
      // 409: another request has changed the offset, for example one whose response was lost.
      const isMoved = error instanceof ProblemError && error.status === 409;
      const isFinal = failures > MAX_FAILURES || countAttempts(error, DEFAULT_POLICY) === 1;
      if (isFinal || !(isMoved || canRetry(error, true, DEFAULT_POLICY))) throw error;
      await pause(computeDelay(failures, error), signal);
    }
  }
}

/** Returns how many bytes of a file the service already has. */
async function readOffset(stele: Stele, file: HashedFile, signal?: AbortSignal): Promise<number> {
  try {
    const { headers } = await stele.send(request(stele, file, { method: 'HEAD', signal }));
    return headers.get('upload-complete') === '?1' ? file.size : Number(headers.get('upload-offset') ?? 0);
  } catch (error) {
    if (error instanceof ProblemError && error.status === 404) return 0;
    throw error;
  }
}

type WholeOptions = { readonly onChunk: (end: number) => void; readonly signal?: AbortSignal | undefined };

async function sendWhole(stele: Stele, file: HashedFile, { onChunk, signal }: WholeOptions): Promise<void> {
  const content = await readFile(file.location);
  if (content.length !== file.size) throw new FolderChangedError(file.path);
  const headers = { 'content-type': 'application/octet-stream', 'content-length': String(content.length) };
  await stele.sendBody(request(stele, file, { method: 'PUT', headers, signal }), (refreshTimeout) =>
    splitContent(content, (end) => {
      refreshTimeout();
      onChunk(end);
    }),
  );
}

async function sendFrom(stele: Stele, file: HashedFile, offset: number, { onSent, signal }: UploadOptions) {
  const headers: Record<string, string> =
    offset === 0
      ? { 'content-type': 'application/octet-stream', 'upload-length': String(file.size), 'upload-complete': '?1' }
      : { 'content-type': 'application/partial-upload', 'upload-offset': String(offset), 'upload-complete': '?1' };
  const handle = await open(file.location);
  let hasChanged = false;
  try {
    const method = offset === 0 ? 'PUT' : 'PATCH';
    await stele.sendBody(request(stele, file, { method, headers, signal }), (onChunk) => ({
      body: readRest(file, offset, {
        handle,
        nextBuffer: createBuffers(stele),
        onSent: (bytes) => {
          onChunk();
          onSent?.(bytes);
        },
        onChange: () => {
          hasChanged = true;
        },
      }),
      duplex: 'half',
    }));
  } catch (error) {
    // If reading the request body throws, `fetch` rejects with its own error and keeps only the message.
    throw hasChanged ? new FolderChangedError(file.path) : error;
  } finally {
    // The stream cannot close the file itself, because it is not cancelled if the connection breaks.
    await handle.close();
  }
}

type Reading = {
  readonly handle: FileHandle;
  readonly nextBuffer: () => Buffer;
  readonly onSent?: SentBytes | undefined;
  /** Called if the file no longer has the size with which it was hashed. */
  readonly onChange: () => void;
};

/** Reads a file only as fast as it is sent. A Node stream would read ahead. */
function readRest(
  file: HashedFile,
  offset: number,
  { handle, nextBuffer, onSent, onChange }: Reading,
): ReadableStream<Uint8Array> {
  let left = file.size - offset;
  return new ReadableStream(
    {
      async pull(controller) {
        const chunk = nextBuffer();
        const { bytesRead } = await handle.read(chunk, 0, chunk.length, file.size - left);
        if (bytesRead > left || (bytesRead === 0 && left > 0)) {
          onChange();
          throw new FolderChangedError(file.path);
        }
        left -= bytesRead;
        onSent?.(bytesRead);
        if (bytesRead > 0) controller.enqueue(chunk.subarray(0, bytesRead));
        if (left === 0) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

function createBuffers(stele: Stele): () => Buffer {
  // A custom `fetch` may read the whole body before it sends anything, so buffers cannot be reused.
  if (!stele.usesFetchOfNode) return () => Buffer.allocUnsafe(CHUNK_BYTES);
  const buffers = Array.from({ length: BUFFERS }, () => Buffer.allocUnsafe(CHUNK_BYTES));
  let turn = 0;
  return () => buffers[turn++ % BUFFERS] as Buffer;
}

type Sent = Omit<RequestInit, 'signal'> & { readonly signal?: AbortSignal | undefined };

const request = (stele: Stele, { sha256 }: HashedFile, { signal, ...init }: Sent) =>
  new Request(stele.url(`/v1/uploads/${sha256}`), { ...init, ...(signal && { signal }) });
