import type { ClientBase } from 'pg';

/** Anything that runs statements, such as a pool, or a client in a transaction. */
export type Queryable = Pick<ClientBase, 'query'>;
