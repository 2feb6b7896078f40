// Opens 200 connections from one address. Each connection sends one kind of expensive request over and over until it is
// told to stop.
import { once } from 'node:events';
import { connect } from 'node:net';
import { constants, setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

type Act = { bytes: (isFirst: boolean) => string | Buffer; reads?: boolean; everyMs?: number };

const [port, slug, only] = process.argv.slice(2);
const ATTACKER = '127.0.0.2';
const CONNECTIONS = 200;

// This process simulates other machines, so it must not take CPU time from the service and the visitor.
setPriority(constants.priority.PRIORITY_LOW);

const told = { requests: 0, answers: 0, closed: 0 };
let isOver = false;

const host = `localhost:${port}`;
const site = `${slug}.${host}`;
const get = (path: string, headers = '', to = host) => `GET ${path} HTTP/1.1\r\nhost: ${to}\r\n${headers}\r\n`;
const post = (path: string, type: string, body: string | Buffer, headers = '') =>
  Buffer.concat([
    Buffer.from(
      `POST ${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n${headers}\r\n`,
    ),
    typeof body === 'string' ? Buffer.from(body) : body,
  ]);
const marks = `a${'%CC%81'.repeat(2_400)}`;
const archive = gzipSync(Buffer.alloc(10_000_000));

/**
 * Requests, each of which is sent repeatedly over its own connections. With `reads: false`, the responses are never
 * read.
 */
const acts: Act[] = [
  { bytes: () => get(`/${marks}`, '', site) },
  { bytes: () => get('/', `cookie: ${' '.repeat(15_000)}x\r\n`) },
  { bytes: () => get('/', `range: bytes=${'0-0,'.repeat(3_500)}1-1\r\n`, site) },
  { bytes: () => get('/', `accept-encoding: ${'gzip;q=0.1,'.repeat(1_300)}br\r\n`, site) },
  { bytes: () => get(`/v1/sites/${slug}`, 'stele-position: 999999999999999999\r\n') },
  { bytes: () => get('/health').repeat(500), reads: false },
  { bytes: () => get('/', '', site).repeat(500), reads: false },
  { bytes: () => get(`/${Math.random()}`, '', site) },
  { bytes: () => get('/', '', `${Math.random().toString(36).slice(2)}.${host}`) },
  { bytes: () => post('/v1/deploy', 'text/html', '<p>flood') },
  { bytes: () => post('/v1/deploy', 'application/gzip', archive) },
  { bytes: () => post('/v1/deploy', 'application/json', `{"files":[${'{},'.repeat(20_000)}{}]}`) },
  { bytes: () => post('/v1/auth/start', 'application/json', '['.repeat(60_000)) },
  {
    bytes: () =>
      post(
        '/v1/cli/preflight',
        'application/json',
        `{"files":[${`{"path":"${'a\u0301'.repeat(100)}","size":1,"sha256":"x"},`.repeat(500)}{}]}`,
      ),
  },
  {
    bytes: () =>
      `POST /v1/deploy HTTP/1.1\r\nhost: ${host}\r\ncontent-type: text/html\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\na\r\n'.repeat(20_000)}`,
  },
  {
    bytes: () => 'POST /v1/deploy HTTP/1.1\r\nhost: x\r\ncontent-type: text/html\r\ncontent-length: 1000\r\n\r\na',
    everyMs: 1_000,
  },
  { bytes: () => 'GET / HTTP/1.1\r\nhost', everyMs: 1_000 },
  { bytes: pings, reads: false },
];

/** A WebSocket that pings and never reads: the handshake once, then masked pings. */
function pings(isFirst: boolean): string | Buffer {
  const upgrade = `GET /v1/live HTTP/1.1\r\nhost: ${host}\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;
  return isFirst
    ? upgrade
    : Buffer.concat(Array(500).fill(Buffer.concat([Buffer.from([0x89, 0xfd, 0, 0, 0, 0]), Buffer.alloc(125)])));
}

async function repeat({ bytes, reads = true, everyMs = 0 }: Act): Promise<void> {
  while (!isOver) {
    const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress: ATTACKER });
    socket.on('error', () => undefined);
    if (reads) socket.on('data', () => void told.answers++);
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    const opened = new Promise<void>((resolve) => socket.once('connect', resolve));
    await Promise.race([opened, closed]);
    for (let isFirst = true; !isOver && socket.writable; isFirst = false) {
      told.requests++;
      if (!socket.write(bytes(isFirst))) await Promise.race([once(socket, 'drain'), closed]).catch(() => undefined);
      await pause(everyMs + 5);
    }
    if (!isOver) told.closed++;
    socket.destroy();
  }
}

process.once('disconnect', () => process.exit());
process.once('message', () => {
  isOver = true;
  process.send?.(told);
});
const chosen = only === undefined ? acts : acts.slice(Number(only), Number(only) + 1);
for (let n = 0; n < CONNECTIONS; n++) void repeat(chosen[n % chosen.length]!);
