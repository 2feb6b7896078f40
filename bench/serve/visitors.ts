// Visitors of one site in their own process: `node visitors.ts <port> <host> <kind> <seconds>` prints the number of
// responses. Kinds: `one` sends the same request as wrk. `crowd` is a thousand browsers at 250 addresses, which visit
// 50 pages. `some` is like `crowd`, at 1,000 requests a second. `flood` sends a different path, user-agent and referrer
// each time. `heavy` is like `flood`, with request heads of 7 KiB.
import { connect } from 'node:net';

const [port, host, kind = '', seconds] = process.argv.slice(2);
const CONNECTIONS = 64;
/** Requests per second of `some`. */
const PACE = 1_000;

const BROWSER = {
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'accept-language': 'en-GB,en;q=0.9,de;q=0.7',
  'cache-control': 'no-cache',
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-site': 'cross-site',
  'upgrade-insecure-requests': '1',
};
const userAgent = (n: number) =>
  `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${100 + (n % 40)}.0.${n % 25}.0 Safari/537.36`;

const request = (path: string, headers: Record<string, string>) =>
  Buffer.from(
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}\r\n`,
  );

const crowd = Array.from({ length: 1_000 }, (_, n) =>
  Array.from({ length: 5 }, (_, page) =>
    request(`/page-${(n * 7 + page * 11) % 50}.html`, {
      'user-agent': userAgent(n),
      referer: `https://search-${n % 30}.example/results?q=${n}`,
      ...BROWSER,
    }),
  ),
).flat();

let turn = 0;
const random = () => Math.random().toString(36).slice(2);
const nextOfCrowd = () => crowd[turn++ % crowd.length]!;
const kinds: Record<string, () => Buffer> = {
  one: () => ONE,
  crowd: nextOfCrowd,
  some: nextOfCrowd,
  flood: () =>
    request(`/${random()}`, { 'user-agent': `Mozilla/5.0 ${random()}`, referer: `https://${random()}.example/` }),
  heavy: () =>
    request(`/${random()}${'y'.repeat(2_000)}`, {
      'user-agent': `Mozilla/5.0 ${random()}`,
      'x-much': random() + 'x'.repeat(5_000),
    }),
};
const ONE = request('/small.html', {});
const next = kinds[kind];
if (next === undefined) throw new Error(`There is no kind ${kind}.`);

let answered = 0;
let isOver = false;
const addresses = kind === 'one' ? ['127.0.0.1'] : Array.from({ length: 250 }, (_, n) => `127.0.1.${n + 1}`);

/** Opens a connection that sends requests. The Content-Length of each response shows when it is complete. */
function visit(n: number, next: () => Buffer): void {
  const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress: addresses[n % addresses.length]! });
  socket.setNoDelay(true);
  let missing = 0;
  if (kind !== 'some') socket.on('connect', () => socket.write(next()));
  socket.on('error', () => undefined);
  socket.on('data', (bytes) => {
    if (missing === 0) {
      const head = bytes.toString('latin1', 0, Math.min(bytes.length, 4_096));
      const end = head.indexOf('\r\n\r\n');
      const at = head.toLowerCase().indexOf('content-length: ');
      missing = end + 4 + (at < 0 ? 0 : Number.parseInt(head.slice(at + 16), 10));
    }
    missing -= bytes.length;
    if (missing > 0) return;
    missing = 0;
    answered++;
    if (isOver) socket.destroy();
    else if (kind !== 'some') socket.write(next());
  });
  if (kind === 'some') setInterval(() => socket.write(next()), (CONNECTIONS / PACE) * 1_000);
}

for (let n = 0; n < CONNECTIONS; n++) visit(n, next);
setTimeout(() => {
  isOver = true;
  console.log(answered);
  setTimeout(() => process.exit(), 50);
}, Number(seconds) * 1_000);
