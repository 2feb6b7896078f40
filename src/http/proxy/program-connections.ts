import type { ProgramAddress } from '../../kernel/ports/site-servers.js';
import { ProgramConnection, type ProgramTimeouts } from './program-connection.js';

/** So many connections are kept to one program while nothing is asked of it. */
const IDLE_UP_TO = 128;

/** Connections to programs: those that are open and not used are used again, the last one first. */
export class ProgramConnections {
  readonly #idle = new Map<string, ProgramConnection[]>();

  constructor(private readonly timeouts: ProgramTimeouts) {}

  /** One that may have been open for a while. */
  take(address: ProgramAddress): ProgramConnection {
    const idle = this.#idle.get(keyOf(address));
    if (idle === undefined) return this.open(address);
    const now = performance.now();
    for (let last = idle.pop(); last; last = idle.pop()) {
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
    if (idle === undefined) this.#idle.set(key, [connection]);
    else if (idle.length < IDLE_UP_TO) idle.push(connection);
    else connection.destroy();
  }

  #forget(key: string, connection: ProgramConnection) {
    const idle = this.#idle.get(key);
    const at = idle?.indexOf(connection) ?? -1;
    if (at >= 0) idle?.splice(at, 1);
    if (idle?.length === 0) this.#idle.delete(key);
  }
}

const keyOf = (address: ProgramAddress) =>
  'socketPath' in address ? address.socketPath : `${address.host}:${address.port} ${address.key}`;
