// One of the peers, as a process of its own: `node peers.mjs <name> <folder>` prints the port it listens on.
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';
import express from 'express';
import multer from 'multer';

const [, , name, folder] = process.argv;

/** What others do: each file is a file, durable when it was synced. */
async function store(stream) {
  const path = join(folder, randomUUID());
  const hash = createHash('sha256');
  stream.on('data', (piece) => hash.update(piece));
  await pipeline(stream, createWriteStream(path));
  const file = await open(path, 'r+');
  await file.sync();
  await file.close();
  return hash.digest('hex');
}

const servers = {
  /** multer, with a storage that keeps each file durably. */
  multer() {
    const storage = {
      _handleFile: (_request, file, done) => store(file.stream).then((sha256) => done(null, { sha256 }), done),
      _removeFile: (_request, _file, done) => done(null),
    };
    const app = express();
    app.post('/', multer({ storage }).array('files'), (request, response) => {
      response.json({ files: request.files.length });
    });
    return createServer(app);
  },

  /** busboy alone. */
  busboy() {
    return createServer((request, response) => {
      const stored = [];
      const parser = new Busboy({ headers: request.headers, preservePath: true });
      parser.on('file', (_name, stream) => stored.push(store(stream)));
      parser.on('finish', async () => {
        await Promise.all(stored);
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ files: stored.length }));
      });
      request.pipe(parser);
    });
  },

  /** The least that anything durable does: receive, hash, write, flush once. No parsing, no index, no event. */
  async floor() {
    const file = await open(join(folder, 'all'), 'w');
    return createServer(async (request, response) => {
      const hash = createHash('sha256');
      const pieces = [];
      for await (const piece of request) {
        hash.update(piece);
        pieces.push(piece);
      }
      await file.writev(pieces);
      await file.datasync();
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ digest: hash.digest('hex') }));
    });
  },
};

const server = await servers[name]();
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
