import pg from 'pg';

/**
 * A connection for a pool. A lost connection emits `error`, which ends the process if nothing listens for it. The pool
 * does not listen while it hands the connection to a caller or while the caller uses it. The caller’s query fails
 * anyway, so the event can be ignored.
 */
export class EnduringClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}
