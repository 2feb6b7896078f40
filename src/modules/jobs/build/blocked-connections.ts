import type { BlockedConnection } from './failure-hints.js';

/** A build might try any number of hosts. */
const MAX_HOSTS = 20;

/** The connections of a command that the sandbox blocked. */
export class BlockedConnections {
  readonly #hosts = new Map<string, { count: number; readonly reasons: Set<string> }>();

  /** Returns how often connections to the host were blocked, or 0 if it is not one of the first 20 hosts. */
  add(host: string, why: string): number {
    const known = this.#hosts.get(host) ?? { count: 0, reasons: new Set() };
    if (known.count === 0 && this.#hosts.size === MAX_HOSTS) return 0;
    this.#hosts.set(host, known);
    known.reasons.add(why);
    known.count += 1;
    return known.count;
  }

  /** Lists each host once for each reason. */
  list(): BlockedConnection[] {
    return [...this.#hosts].flatMap(([host, { reasons }]) => [...reasons].map((why) => ({ host, why })));
  }
}
