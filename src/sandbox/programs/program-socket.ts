import { link, lstat, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { alreadyGone } from '../../kernel/faults/ignored-fault.js';

/** What the kernel takes of a socket's path (unix(7)). */
const MOST_BYTES = 107;

/**
 * The socket that a program has made in a folder which it may write to. Its path cannot be trusted: a link in its place
 * would lead our connections to any socket of this machine, such as a container engine’s. So it gets a second name in a
 * folder that is ours alone (link(2) follows no links), is looked at there, and is reached by that name alone. No other
 * program ever has this name.
 */
export class ProgramSocket {
  #found: string | null = null;
  #shortcut: string | null = null;

  constructor(
    private readonly theirs: string,
    private readonly ours: string,
  ) {}

  /** A path to the very socket; null while there is none. */
  async find(): Promise<string | null> {
    this.#found ??= await this.#find();
    return this.#found;
  }

  /** The program is over. */
  async close(): Promise<void> {
    await rm(this.ours, { force: true });
    if (this.#shortcut) await rm(this.#shortcut, { recursive: true, force: true });
  }

  async #find(): Promise<string | null> {
    const isNamed = await link(this.theirs, this.ours).then(() => true, alreadyGone);
    if (!isNamed) return null;
    if ((await lstat(this.ours)).isSocket()) return this.#withinBounds();
    await rm(this.ours);
    return null;
  }

  /** A link to it, in a folder that is ours too, where its path is too long. */
  async #withinBounds(): Promise<string> {
    if (Buffer.byteLength(this.ours) <= MOST_BYTES) return this.ours;
    this.#shortcut = await mkdtemp(join(tmpdir(), 'stele-server-'));
    const path = join(this.#shortcut, 'http.sock');
    await symlink(this.ours, path);
    return path;
  }
}
