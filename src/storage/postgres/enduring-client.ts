import pg from 'pg';

/**
 * A connection for a pool. A lost connection emits `error`, which ends the process if there is no listener, and the
 * pool does not listen while a caller uses the connection. Ignoring the event is safe, because the caller’s query
 * fails as well.
 */
export class EnduringClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}
