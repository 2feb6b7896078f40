// A server that does the minimum of work for a deploy, as a lower bound for any product: `node bare.ts bare <folder>`
// prints its port. It parses and hashes, appends the content of all concurrent requests to one file with one sync, and
// inserts a row for each request into a table of the product's embedded PostgreSQL with one statement. It has no API
// hooks, rules, index or read models.
import { hash, randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Busboy } from '@fastify/busboy';
import { pg, product } from '../product.ts';
import { portOf } from '../serve/free-port.ts';

const { startEmbeddedPostgres } = await product('storage/postgres/embedded/embedded-postgres.js');
const { coalesce } = await product('storage/blobs/coalesce.js');

const [, , , folder = ''] = process.argv;
const postgres = await startEmbeddedPostgres({ folder: join(folder, 'postgres'), log: () => undefined });
const client = new pg.Client(postgres.connection);
await client.connect();
await client.query('create table events (position bigserial primary key, id uuid unique, data text)');
const pack = await open(join(folder, 'pack'), 'w');
let end = 0;

const write = coalesce(async (contents: readonly Buffer[]) => {
  await pack.writev(contents, end);
  end += contents.reduce((sum, { length }) => sum + length, 0);
  await pack.datasync();
  return () => undefined;
});

const append = coalesce(async (events: readonly string[]) => {
  const text = 'insert into events (id, data) select * from unnest($1::uuid[], $2::text[])';
  await client.query({ name: 'append', text, values: [events.map(() => randomUUID()), events] });
  return () => undefined;
});

async function store(path: string, stream: Readable): Promise<void> {
  const content = await buffer(stream);
  await write(content);
  await append(JSON.stringify({ path, size: content.length, sha256: hash('sha256', content) }));
}

const server = createServer((request, response) => {
  const stored: Promise<void>[] = [];
  const parser = new Busboy({ headers: request.headers, preservePath: true });
  parser.on('file', (path, stream) => stored.push(store(path, stream)));
  parser.on('finish', async () => {
    await Promise.all(stored);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ files: stored.length }));
  });
  request.pipe(parser);
});
server.listen(0, '127.0.0.1', () => console.log(portOf(server)));

process.once('SIGTERM', async () => {
  server.close();
  await client.end();
  await postgres.stop();
  process.exit();
});
