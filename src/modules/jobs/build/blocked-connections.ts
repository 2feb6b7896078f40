import type { BlockedConnection } from './failure-hints.js';

/** Maximum number of hosts to report, because a build might try any number of them. */
const MAX_HOSTS = 20;

/** Connections that the sandbox blocked while a command was running. */
export class BlockedConnections {
  readonly #hosts = new Map<string, { count: number; readonly reasons: Set<string> }>();

  /**
   * Records a blocked connection. Returns the number of blocked connections to the host so far, or 0 if the host is not
   * one of the first MAX_HOSTS.
   */
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
