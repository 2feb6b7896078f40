import pg from 'pg';

/**
 * A connection for a pool that ignores `error` events. A pool does not listen for them while a caller uses the
 * connection, so a lost connection would end the process. The caller’s query fails anyway.
 */
export class EnduringClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}
