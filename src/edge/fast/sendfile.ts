import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { alreadyGone, ignoreFault } from '../../kernel/faults/ignored-fault.js';
import type { CopyForSendfile, OffHeapFile } from './off-heap-file.js';

/** Linux’s O_TMPFILE, which Node does not export, without the O_DIRECTORY bit, which differs between architectures. */
const TMPFILE = 0o20000000;
/** Flags for opening an unnamed temporary file that can never get a name. */
const NAMELESS = TMPFILE | constants.O_DIRECTORY | constants.O_RDWR | constants.O_EXCL;

/**
 * Returns a function that copies bytes to unnamed files in `folder`. The files are sent with Linux’s `sendfile`, and
 * exist too briefly to be written to disk. On other systems, or without the native library, the returned function
 * always returns null.
 */
export async function openSendfile(folder: string): Promise<CopyForSendfile> {
  const sendfile = process.platform === 'linux' ? await systemCall() : null;
  if (!sendfile) return async () => null;

  return async (bytes) => {
    // Some file systems do not support unnamed files, and any disk can be full.
    const file = await open(folder, NAMELESS, 0o600).catch(ignoreFault);
    if (!file) return null;
    const copy = new NamelessFile(file, bytes.length, sendfile);
    try {
      await file.writeFile(bytes);
      return copy;
    } catch {
      copy.release();
      return null;
    }
  };
}

type Sendfile = (to: number, from: number, offset: BigInt64Array, count: number) => number;

class NamelessFile implements OffHeapFile {
  /** The offset is explicit and always 0, because concurrent senders share the file’s position. */
  readonly #offset = new BigInt64Array(1);

  constructor(
    private readonly file: FileHandle,
    private readonly length: number,
    private readonly sendfile: Sendfile,
  ) {}

  sendTo(descriptor: number): number {
    // A closed connection has the descriptor −1, for which `sendfile` returns −1. Node reports the error when it writes
    // the rest.
    this.#offset[0] = 0n;
    return Math.max(0, this.sendfile(descriptor, this.file.fd, this.#offset, this.length));
  }

  release(): void {
    this.file.close().catch(alreadyGone);
  }
}

async function systemCall(): Promise<Sendfile | null> {
  try {
    const { default: koffi } = await import('koffi');
    // Finds the symbol in the C library that Node itself has loaded.
    return koffi.load(null).func('intptr_t sendfile64(int to, int from, void *offset, size_t count)') as Sendfile;
  } catch {
    return null;
  }
}
