// What is left of a deploy without a product around it: `node bare.mjs bare <folder>` prints the port it listens on.
// It parses and hashes, appends the content of all requests under way to one file with one sync, and one row for each to
// one table of the product's embedded PostgreSQL with one statement. No API hooks, no rules, no index, no read models.
import { hash, randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Busboy } from '@fastify/busboy';
import { built, pg } from '../append/product.mjs';

const { startEmbeddedPostgres } = await import(new URL('storage/postgres/embedded/embedded-postgres.js', built).href);
const { coalesce } = await import(new URL('storage/blobs/coalesce.js', built).href);

const folder = process.argv[3];
const postgres = await startEmbeddedPostgres({ folder: join(folder, 'postgres'), log: () => undefined });
const client = new pg.Client(postgres.connection);
await client.connect();
await client.query('create table events (position bigserial primary key, id uuid unique, data text)');
const pack = await open(join(folder, 'pack'), 'w');
let end = 0;

const write = coalesce(async (contents) => {
  await pack.writev(contents, end);
  end += contents.reduce((sum, { length }) => sum + length, 0);
  await pack.datasync();
  return () => undefined;
});

const append = coalesce(async (events) => {
  const text = 'insert into events (id, data) select * from unnest($1::uuid[], $2::text[])';
  await client.query({ name: 'append', text, values: [events.map(() => randomUUID()), events] });
  return () => undefined;
});

async function store(path, stream) {
  const content = await buffer(stream);
  await write(content);
  await append(JSON.stringify({ path, size: content.length, sha256: hash('sha256', content) }));
}

const server = createServer((request, response) => {
  const stored = [];
  const parser = new Busboy({ headers: request.headers, preservePath: true });
  parser.on('file', (path, stream) => stored.push(store(path, stream)));
  parser.on('finish', async () => {
    await Promise.all(stored);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ files: stored.length }));
  });
  request.pipe(parser);
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));

process.once('SIGTERM', async () => {
  server.close();
  await client.end();
  await postgres.stop();
  process.exit();
});
