import pg from 'pg';

/**
 * A connection for a pool. When it is lost it emits `error`, which ends the process if nothing listens: and nothing
 * does while the pool hands the connection to a caller, nor while the caller uses it, whose query fails anyway.
 */
export class EnduringClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}
