import type { ClientBase } from 'pg';

/** Runs statements: a pool, or a client and its transaction. */
export type Queryable = Pick<ClientBase, 'query'>;
