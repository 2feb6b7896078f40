import pg from 'pg';

/**
 * A connection for a pool. It tells of its end by an `error` event too, which ends the process where nobody listens:
 * and nobody does between the pool and whoever is just being given it, nor while it works for somebody, whose query has
 * told of it already.
 */
export class EnduringClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}
