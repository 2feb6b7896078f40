import { link, lstat, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { alreadyGone } from '../../kernel/faults/ignored-fault.js';

/** Maximum length of a socket’s path in the kernel (unix(7)). */
const MAX_BYTES = 107;

/**
 * The socket that a server creates in a folder that it can write to. The server’s path to the socket is not trusted,
 * because a link could redirect connections to any socket of this machine, such as a container engine’s. Therefore the
 * socket is hard-linked into a private folder (link(2) does not follow links) and checked there. Only this second name,
 * which is unique to the server, is used for connections.
 */
export class ServerSocket {
  #found: string | null = null;
  #shortcut: string | null = null;

  constructor(
    private readonly theirs: string,
    private readonly ours: string,
  ) {}

  /** Returns a path to the socket, or null if the socket does not exist yet. */
  async find(): Promise<string | null> {
    this.#found ??= await this.#find();
    return this.#found;
  }

  /** Removes all links to the socket. The server must have ended. */
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

  /**
   * Returns the socket’s path. If it is too long, creates a link to the socket in another private folder, and returns
   * the link’s path.
   */
  async #withinBounds(): Promise<string> {
    if (Buffer.byteLength(this.ours) <= MAX_BYTES) return this.ours;
    this.#shortcut = await mkdtemp(join(tmpdir(), 'stele-server-'));
    const path = join(this.#shortcut, 'http.sock');
    await symlink(this.ours, path);
    return path;
  }
}
