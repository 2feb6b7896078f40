import pg from 'pg';

/**
 * A connection for a pool. A lost connection emits `error`, which ends the process if there is no listener. The pool
 * does not listen while it hands the connection to a caller, or while the caller uses it. Ignoring the event is safe,
 * because the caller’s query fails anyway.
 */
export class EnduringClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}
