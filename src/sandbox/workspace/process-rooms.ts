import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { alreadyGone } from '../../kernel/faults/ignored-fault.js';
import { connectTo, listenAt } from './socket-path.js';

const SOCKET = '.sock';

/**
 * Where the builds of this process have their rooms, beside those of other processes with the same data folder. A socket
 * tells which of them live: it answers as long as its process does, also where that is in a container of its own.
 */
export class ProcessRooms {
  private constructor(
    private readonly parent: string,
    /** Of this process. */
    readonly folder: string,
  ) {}

  static async open(parent: string): Promise<ProcessRooms> {
    await mkdir(parent, { recursive: true, mode: 0o711 });
    const folder = join(parent, randomBytes(4).toString('hex'));
    const server = createServer((socket) => socket.destroy());
    await listenAt(server, folder + SOCKET);
    server.unref();
    // After the socket: a folder without one is left over.
    await mkdir(folder, { mode: 0o711 });
    return new ProcessRooms(parent, folder);
  }

  /** The name of this process among those with the same data folder. */
  get name(): string {
    return basename(this.folder);
  }

  /** Whether the process with this name still runs. */
  readonly isAlive = (name: string): Promise<boolean> => answers(join(this.parent, name) + SOCKET);

  /** Has each room cleared that was left by a process that is not there any more, and forgets that process. */
  async sweep(clear: (room: string) => Promise<void>): Promise<void> {
    for (const folder of await this.#ofTheDead()) {
      // Another process may be sweeping too.
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

/** What a socket says when no process has it any more. */
const DEAD = ['ECONNREFUSED', 'ENOENT'];

async function answers(socket: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const connection = await connectTo(socket);
  connection.once('connect', () => resolve(true));
  connection.once('error', ({ code = '' }: NodeJS.ErrnoException) => resolve(!DEAD.includes(code)));
  return promise.finally(() => connection.destroy());
}
