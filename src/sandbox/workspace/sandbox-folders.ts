import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { alreadyGone } from '../../kernel/faults/ignored-fault.js';
import { connectToSocket, listenOnSocket } from './socket-path.js';

const SOCKET = '.sock';

/**
 * Folder for the sandboxes of this process, next to the folders of other processes that use the same data folder. Each
 * process listens on a socket, so that other processes can check whether it is running, even from another container.
 */
export class SandboxFolders {
  private constructor(
    private readonly parent: string,
    readonly folder: string,
  ) {}

  static async open(parent: string): Promise<SandboxFolders> {
    await mkdir(parent, { recursive: true, mode: 0o711 });
    const folder = join(parent, randomBytes(4).toString('hex'));
    const server = createServer((socket) => socket.destroy());
    await listenOnSocket(server, folder + SOCKET);
    server.unref();
    // The folder is created after the socket, because a folder without a socket is considered abandoned.
    await mkdir(folder, { mode: 0o711 });
    return new SandboxFolders(parent, folder);
  }

  /** Name of this process, unique among processes that use the same data folder. */
  get name(): string {
    return basename(this.folder);
  }

  readonly isAlive = (name: string): Promise<boolean> => answers(join(this.parent, name) + SOCKET);

  /** Calls `clear` for each sandbox of processes that have ended, and then removes the folders of these processes. */
  async sweep(clear: (path: string) => Promise<void>): Promise<void> {
    for (const folder of await this.#ofTheDead()) {
      // Another process may be removing the same folder.
      for (const name of (await readdir(folder).catch(alreadyGone)) ?? []) await clear(join(folder, name));
      await rm(folder, { recursive: true, force: true });
      await rm(folder + SOCKET, { force: true });
    }
  }

  async #ofTheDead(): Promise<string[]> {
    const found: string[] = [];
    for (const entry of await readdir(this.parent, { withFileTypes: true })) {
      const folder = join(this.parent, entry.name);
      if (entry.isDirectory() && folder !== this.folder && !(await answers(folder + SOCKET))) found.push(folder);
    }
    return found;
  }
}

/** Errors of a connection to a socket that no process listens on. */
const DEAD = ['ECONNREFUSED', 'ENOENT'];

async function answers(socket: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const connection = await connectToSocket(socket);
  connection.once('connect', () => resolve(true));
  connection.once('error', ({ code = '' }: NodeJS.ErrnoException) => resolve(!DEAD.includes(code)));
  return promise.finally(() => connection.destroy());
}
