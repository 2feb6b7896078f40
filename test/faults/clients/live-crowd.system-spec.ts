// needs: database

import { readdir, readFile } from 'node:fs/promises';
import { connect, type Socket as TcpSocket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventStreamClient } from '../../support/service/event-stream-client.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';
import { WebSocketClient } from '../../support/service/web-socket-client.js';
import { eventsOf, newRunId, tell } from '../../support/sites/runs.js';

describe('Many clients of live streams', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;

  beforeAll(async () => {
    temporary = await temporaryFolder('crowd');
    stele = await startStele({ folder: temporary.folder });
  }, 60_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  const sockets = async () => (await readdir(`/proc/${stele.child.pid}/fd`)).length;
  const megabytes = async () => {
    const status = await readFile(`/proc/${stele.child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  };
  /** Waits up to 90 s until the process has at most this many sockets. */
  async function settled(most: number) {
    for (let tries = 0; (await sockets()) > most; tries++) {
      if (tries === 900) throw new Error(`${await sockets()} sockets are open. Expected at most ${most}.`);
      await pause(100);
    }
  }

  it('a thousand stream clients that connect and disconnect leave nothing behind', async () => {
    const runId = newRunId();
    await tell(stele, runId, 'run.started').expect(202);
    const come = async (n: number) => {
      const isSocket = n % 4 === 0;
      const one = isSocket
        ? new WebSocketClient(`${stele.base}/v1/live`).say({ op: 'subscribe', stream: `run:${runId}` })
        : new EventStreamClient(stele.base + eventsOf(runId));
      await one.until(({ event }) => event === 'run.started');
      one.cut();
      await one.closed;
    };
    const cycles = async (many: number) => {
      for (let n = 0; n < many; n += 20) await Promise.all(Array.from({ length: 20 }, (_, k) => come(n + k)));
    };
    await cycles(200);
    await settled(await sockets());
    const before = { sockets: await sockets(), megabytes: await megabytes() };
    await cycles(1_000);
    await settled(before.sockets + 2);
    expect((await megabytes()) - before.megabytes).toBeLessThan(40);
    expect(stele.printed()).not.toMatch(/MaxListeners|Unhandled|Error/);
  }, 300_000);

  it('stream clients that never read are disconnected, without affecting other clients', async () => {
    const runId = newRunId();
    const before = { sockets: await sockets(), megabytes: await megabytes() };
    const idle: TcpSocket[] = [];
    for (let n = 0; n < 50; n++) {
      const socket = connect(stele.port, '127.0.0.1').pause();
      socket.on('error', () => undefined);
      if (n < 40) socket.write(`GET ${eventsOf(runId)} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
      else socket.write(`${handshake}${masked(JSON.stringify({ op: 'subscribe', stream: `run:${runId}` }))}`, 'latin1');
      idle.push(socket);
    }
    const reader = await new EventStreamClient(stele.base + eventsOf(runId)).opened();
    const text = 'x'.repeat(16_000);
    for (let n = 0; n < 500; n++) await tell(stele, runId, 'run.log', { text }).expect(202);
    await reader.count(500);
    expect((await megabytes()) - before.megabytes).toBeLessThan(150);

    await settled(before.sockets + 4);
    await tell(stele, runId, 'run.succeeded').expect(202);
    expect(await reader.closed).toBe(true);
    expect(reader.events.map(({ id }) => id)).toEqual([...Array.from({ length: 501 }, (_, n) => n + 1), null]);
    for (const socket of idle) socket.destroy();
  }, 300_000);
});

const handshake = [
  'GET /v1/live HTTP/1.1',
  'host: localhost',
  'connection: upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
  '\r\n',
].join('\r\n');

/** Returns a short text frame, masked with zeros (RFC 6455 section 5.3). */
const masked = (text: string) => `\x81${String.fromCharCode(0x80 | text.length)}\0\0\0\0${text}`;
