import type { ClientBase } from 'pg';

/** What runs a statement: a pool, or one client and its transaction. */
export type Queryable = Pick<ClientBase, 'query'>;
