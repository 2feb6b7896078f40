import type { ProgramAddress } from '../../kernel/ports/site-servers.js';
import { ProgramConnection, type ProgramTimeouts } from './program-connection.js';

/** So many connections are kept to one program while nothing is asked of it. */
const IDLE_UP_TO = 128;
/** And to all. */
const IDLE_IN_ALL = 1_024;

/** Connections to programs: those that are open and not used are used again, the last one first. */
export class ProgramConnections {
  readonly #idle = new Map<string, ProgramConnection[]>();
  #all = 0;

  constructor(private readonly timeouts: ProgramTimeouts) {}

  /** One that may have been open for a while. */
  take(address: ProgramAddress): ProgramConnection {
    const idle = this.#idle.get(keyOf(address));
    if (idle === undefined) return this.open(address);
    const now = performance.now();
    for (let last = idle.pop(); last; last = idle.pop()) {
      this.#all -= 1;
      if (last.isFresh(now)) return last;
      last.destroy();
    }
    return this.open(address);
  }

  /** A new one, for a request that cannot be sent again. */
  open(address: ProgramAddress): ProgramConnection {
    const key = keyOf(address);
    return new ProgramConnection(
      address,
      this.timeouts,
      (connection) => this.#keep(key, connection),
      (connection) => this.#forget(key, connection),
    );
  }

  /** Closes those that are not used. */
  close() {
    for (const idle of this.#idle.values()) for (const connection of [...idle]) connection.destroy();
  }

  #keep(key: string, connection: ProgramConnection) {
    const idle = this.#idle.get(key);
    if (this.#all >= IDLE_IN_ALL || (idle && idle.length >= IDLE_UP_TO)) return connection.destroy();
    this.#all += 1;
    if (idle) idle.push(connection);
    else this.#idle.set(key, [connection]);
  }

  #forget(key: string, connection: ProgramConnection) {
    const idle = this.#idle.get(key);
    const at = idle?.indexOf(connection) ?? -1;
    if (at >= 0) {
      this.#all -= 1;
      idle?.splice(at, 1);
    }
    if (idle?.length === 0) this.#idle.delete(key);
  }
}

const keyOf = (address: ProgramAddress) =>
  'socketPath' in address ? address.socketPath : `${address.host}:${address.port} ${address.key}`;
