import { constants, type FileHandle, open } from 'node:fs/promises';
import { alreadyGone } from '../../kernel/faults/ignored-fault.js';

/** Refers to a file without opening it (open(2), Linux); Node does not name it. */
const O_PATH = 0o10000000;

/**
 * The socket that a program has made in a folder which it may write to. Its path cannot be trusted: a link in its place
 * would lead whoever connects to any socket of this machine, such as a container engine’s. So it is referred to once,
 * links not followed, and from then on reached by that reference.
 */
export class ProgramSocket {
  #reference: FileHandle | null = null;

  constructor(private readonly path: string) {}

  /** A path to the very socket; null while there is none. */
  async find(): Promise<string | null> {
    this.#reference ??= await this.#refer();
    return this.#reference && `/proc/self/fd/${this.#reference.fd}`;
  }

  /** Forgets it: the program listens anew, or is over. */
  async close(): Promise<void> {
    const reference = this.#reference;
    this.#reference = null;
    await reference?.close();
  }

  async #refer(): Promise<FileHandle | null> {
    const handle = await open(this.path, O_PATH | constants.O_NOFOLLOW).catch(alreadyGone);
    if (handle === undefined) return null;
    if ((await handle.stat()).isSocket()) return handle;
    await handle.close();
    return null;
  }
}
