import type { ServerAddress } from '../../kernel/ports/served-deploy.js';
import {
  addressKey,
  MAX_IDLE,
  MAX_IDLE_IN_ALL,
  ServerConnectionPool,
  type ServerTimeouts,
} from '../http/proxy/server-connections.js';
import { SilenceClock } from '../http/proxy/silence-clock.js';
import { type ConnectionOwner, FastServerConnection } from './servers/fast-server-connection.js';

/** A pool of connections to site servers. Of the idle connections, it reuses the one that became idle most recently. */
export class FastServerPool extends ServerConnectionPool implements ConnectionOwner {
  readonly #idle = new Map<string, FastServerConnection[]>();
  #all = 0;
  readonly clock: SilenceClock;

  constructor(readonly timeouts: ServerTimeouts) {
    super();
    this.clock = new SilenceClock(timeouts.firstByte);
  }

  take(address: ServerAddress): FastServerConnection {
    const idle = this.#idle.get(addressKey(address));
    if (idle === undefined) return this.open(address, false);
    const now = performance.now();
    for (let last = idle.pop(); last; last = idle.pop()) {
      this.#all -= 1;
      if (last.isFresh(now)) return last;
      last.destroy();
    }
    return this.open(address, false);
  }

  /** Opens a new connection for a request that must not be repeated or may switch protocols. */
  open(address: ServerAddress, canSwitchProtocol: boolean): FastServerConnection {
    return new FastServerConnection(address, canSwitchProtocol, this);
  }

  close() {
    for (const idle of this.#idle.values()) for (const connection of [...idle]) connection.destroy();
  }

  onIdle(connection: FastServerConnection) {
    const key = addressKey(connection.address);
    const idle = this.#idle.get(key);
    if (this.#all >= MAX_IDLE_IN_ALL || (idle && idle.length >= MAX_IDLE)) return connection.destroy();
    this.#all += 1;
    if (idle) idle.push(connection);
    else this.#idle.set(key, [connection]);
  }

  onClosed(connection: FastServerConnection) {
    const key = addressKey(connection.address);
    const idle = this.#idle.get(key);
    const at = idle?.indexOf(connection) ?? -1;
    if (at >= 0) {
      this.#all -= 1;
      idle?.splice(at, 1);
    }
    if (idle?.length === 0) this.#idle.delete(key);
  }
}
