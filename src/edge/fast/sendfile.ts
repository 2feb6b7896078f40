import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { alreadyGone, ignoreFault } from '../../kernel/faults/ignored-fault.js';
import type { CopyForSendfile, OffHeapFile } from './off-heap-file.js';

/**
 * Linux’s O_TMPFILE without the O_DIRECTORY bit, whose value differs between processor architectures. Node does not
 * export O_TMPFILE.
 */
const TMPFILE = 0o20000000;
/** Flags that open an unnamed temporary file which can never be given a name. */
const NAMELESS = TMPFILE | constants.O_DIRECTORY | constants.O_RDWR | constants.O_EXCL;

/**
 * Returns a function that copies bytes to unnamed files in `folder`, from which they are sent with Linux’s `sendfile`,
 * which Node does not expose. The files exist so briefly that they are never written to disk. On other systems, or if
 * the native library is missing, the returned function always returns null.
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
  /** Always starts at 0. The offset is passed explicitly, because concurrent senders share the file’s position. */
  readonly #offset = new BigInt64Array(1);

  constructor(
    private readonly file: FileHandle,
    private readonly length: number,
    private readonly sendfile: Sendfile,
  ) {}

  sendTo(descriptor: number): number {
    // The descriptor of a closed file is −1, and `sendfile` then returns −1. Node reports the error when it writes the
    // rest.
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
    // Finds the symbol in the C library that Node itself has loaded, whatever that library's file name is.
    return koffi.load(null).func('intptr_t sendfile64(int to, int from, void *offset, size_t count)') as Sendfile;
  } catch {
    return null;
  }
}
