import type { ClientBase } from 'pg';

export type Queryable = Pick<ClientBase, 'query'>;
