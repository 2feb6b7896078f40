// Starts a competitor of the deploy benchmark in its own process: `node peers.ts <name> <folder>` prints its port.
import { createHash, hash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';
import express, { type Request } from 'express';
import multer from 'multer';
import { portOf } from '../serve/free-port.ts';

const [, , name = '', folder = ''] = process.argv;

/** Stores an upload as a synced file. Parts and requests are stored concurrently. */
async function store(stream: Readable): Promise<string> {
  const path = join(folder, randomUUID());
  const digest = createHash('sha256');
  stream.on('data', (chunk) => digest.update(chunk));
  await pipeline(stream, createWriteStream(path));
  await sync(path);
  return digest.digest('hex');
}

async function sync(path: string, flags = 'r+'): Promise<void> {
  const file = await open(path, flags);
  await file.sync();
  await file.close();
}

/** A request to which multer has added the uploaded files. */
type Uploaded = Request & { files?: { path: string }[] };

const servers: Record<string, () => Server | Promise<Server>> = {
  /**
   * Receives uploads with multer as documented. Then syncs each file and renames it to its digest, one after another.
   */
  multer() {
    const app = express();
    app.post('/', multer({ dest: folder }).array('files'), async (request: Uploaded, response) => {
      const { files = [] } = request;
      for (const { path } of files) {
        const digest = hash('sha256', await readFile(path));
        await sync(path);
        await rename(path, join(folder, digest));
      }
      await sync(folder, 'r');
      response.json({ files: files.length });
    });
    return createServer(app);
  },

  /** Receives uploads with busboy. Syncs the files of all requests concurrently. */
  busboy() {
    return createServer((request, response) => {
      const stored: Promise<string>[] = [];
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

  /**
   * The minimum for any durable storage: receives, hashes, writes and flushes once. Does not parse, index or record
   * events.
   */
  async floor() {
    const file = await open(join(folder, 'all'), 'w');
    return createServer(async (request, response) => {
      const digest = createHash('sha256');
      const chunks: Buffer[] = [];
      for await (const chunk of request) {
        digest.update(chunk);
        chunks.push(chunk);
      }
      await file.writev(chunks);
      await file.datasync();
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ digest: digest.digest('hex') }));
    });
  },
};

const server = await servers[name]?.();
if (server === undefined) throw new Error(`There is no peer ${name}.`);
server.listen(0, '127.0.0.1', () => console.log(portOf(server)));
