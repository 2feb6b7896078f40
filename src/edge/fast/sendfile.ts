import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { alreadyGone, doneWithout } from '../../kernel/faults/ignored-fault.js';
import type { CopyForSendfile, OffHeapFile } from './off-heap-file.js';

/** O_TMPFILE of Linux, without the bit for folders, which differs between processors. Node has no name for it. */
const TMPFILE = 0o20000000;
/** A file that has no name and never gets one. */
const NAMELESS = TMPFILE | constants.O_DIRECTORY | constants.O_RDWR | constants.O_EXCL;

/**
 * By `sendfile` of Linux, which Node has no way to call, from files without a name in `folder`: they live too short for
 * a disk to hear of them. On other systems, and where the library for it could not be installed, the answered function
 * copies nothing and answers null.
 */
export async function openSendfile(folder: string): Promise<CopyForSendfile> {
  const sendfile = process.platform === 'linux' ? await systemCall() : null;
  if (!sendfile) return async () => null;

  return async (bytes) => {
    // Not every file system can, and any disk may be full.
    const file = await open(folder, NAMELESS, 0o600).catch(doneWithout);
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
  /** Where to begin: given each time, as the file has one position for all who send from it. */
  readonly #offset = new BigInt64Array(1);

  constructor(
    private readonly file: FileHandle,
    private readonly length: number,
    private readonly sendfile: Sendfile,
  ) {}

  sendTo(descriptor: number): number {
    // Of a file that was closed it is −1, and so is the answer to a fault: the writer of the rest hears of it from
    // Node.
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
    // Of the C library that Node itself has loaded, whatever it is called.
    return koffi.load(null).func('intptr_t sendfile64(int to, int from, void *offset, size_t count)') as Sendfile;
  } catch {
    return null;
  }
}
