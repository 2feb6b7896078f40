import type { ProgramAddress } from '../../kernel/ports/site-servers.js';
import { SilenceClock } from '../http/proxy/silence-clock.js';
import { type ConnectionOwner, ProgramConnection, type ProgramTimeouts } from './servers/fast-server-connection.js';

/** So many connections are kept to one program while nothing is asked of it. */
const IDLE_UP_TO = 128;
/** So many are kept to all programs. */
const IDLE_IN_ALL = 1_024;

/** Connections to programs: those that are open and not used are used again, the last one first. */
export class ProgramConnections implements ConnectionOwner {
  readonly #idle = new Map<string, ProgramConnection[]>();
  #all = 0;
  readonly clock: SilenceClock;

  constructor(readonly timeouts: ProgramTimeouts) {
    this.clock = new SilenceClock(timeouts.firstByte);
  }

  /** One that may have been open for a while. */
  take(address: ProgramAddress): ProgramConnection {
    const idle = this.#idle.get(keyOf(address));
    if (idle === undefined) return this.open(address, false);
    const now = performance.now();
    for (let last = idle.pop(); last; last = idle.pop()) {
      this.#all -= 1;
      if (last.isFresh(now)) return last;
      last.destroy();
    }
    return this.open(address, false);
  }

  /** A new one, for a request that cannot be sent again. `canSwitchProtocol`: it may go on in another protocol. */
  open(address: ProgramAddress, canSwitchProtocol: boolean): ProgramConnection {
    return new ProgramConnection(address, canSwitchProtocol, this);
  }

  /** Closes those that are not used. */
  close() {
    for (const idle of this.#idle.values()) for (const connection of [...idle]) connection.destroy();
  }

  onIdle(connection: ProgramConnection) {
    const key = keyOf(connection.address);
    const idle = this.#idle.get(key);
    if (this.#all >= IDLE_IN_ALL || (idle && idle.length >= IDLE_UP_TO)) return connection.destroy();
    this.#all += 1;
    if (idle) idle.push(connection);
    else this.#idle.set(key, [connection]);
  }

  onClosed(connection: ProgramConnection) {
    const key = keyOf(connection.address);
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
