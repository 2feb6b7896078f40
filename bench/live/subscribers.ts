import { connect, type Socket } from 'node:net';

/**
 * Runs many subscribers in a separate process. Each event contains a certain byte once. Subscribers count that byte, so
 * that they count every event even if it arrives in two reads. Every tenth connection also reads the sending time from
 * the digits after the byte.
 */
export type Question = 'connect' | 'begin' | 'heard' | 'delays' | 'leave';
export type Given = { port: number; path: string; headers: string; count: number };
/**
 * Number of events received since `begin`. The response to `delays` also has the 50th and 99th percentile of their
 * delays, in milliseconds.
 */
export type Heard = { heard: number; p50: number; p99: number };

const MARK = 0x7e;
const STAMP = 16;

let sockets: Socket[] = [];
let heard = 0;
let delays: number[] = [];
const now = () => Math.round((performance.timeOrigin + performance.now()) * 1000);

function listen(chunk: Buffer, isTimed: boolean): void {
  for (let at = chunk.indexOf(MARK); at >= 0; at = chunk.indexOf(MARK, at + 1)) {
    heard++;
    if (!isTimed || at + STAMP >= chunk.length) continue;
    delays.push((now() - Number(chunk.toString('latin1', at + 1, at + 1 + STAMP))) / 1000);
  }
}

function open({ port, path, headers }: Given, index: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n${headers}\r\n`),
    );
    socket.once('data', (head) =>
      String(head).startsWith('HTTP/1.1 200') ? resolve() : reject(new Error(String(head))),
    );
    socket.on('data', (chunk) => listen(chunk, index % 10 === 0));
    socket.on('error', reject);
    sockets.push(socket);
  });
}

async function connectAll(given: Given): Promise<void> {
  for (let done = 0; done < given.count; ) {
    const some = Math.min(100, given.count - done);
    await Promise.all(Array.from({ length: some }, (_, n) => open(given, done + n)));
    done += some;
  }
}

process.on('message', async ({ ask, ...given }: Given & { ask: Question }) => {
  try {
    if (ask === 'connect') await connectAll(given);
    if (ask === 'begin') [heard, delays] = [0, []];
    if (ask === 'leave') {
      for (const socket of sockets) socket.destroy();
      sockets = [];
    }
    // Sorts only after the last event, because sorting would delay messages that arrive meanwhile.
    const sorted = ask === 'delays' ? delays.toSorted((a, b) => a - b) : [];
    process.send?.({
      ask,
      heard,
      p50: sorted[Math.floor(sorted.length / 2)],
      p99: sorted[Math.floor(sorted.length * 0.99)],
    });
  } catch (error) {
    process.send?.({ ask, error: String(error).slice(0, 500) });
  }
});
