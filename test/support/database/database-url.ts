import type { PoolConfig } from 'pg';

/** Formats a connection as an operator would write it in DATABASE_URL. A Unix socket becomes a query parameter. */
export function databaseUrl({
  host = 'localhost',
  port = 5432,
  user = 'postgres',
  password,
  database,
}: PoolConfig): string {
  const socket = host.startsWith('/');
  const url = new URL(`postgres://${socket ? 'socket' : host}:${port}/${database}`);
  url.username = String(user);
  if (typeof password === 'string') url.password = password;
  if (socket) url.searchParams.set('host', host);
  return url.href;
}
