// needs: database, git, bubblewrap, chromium, containers, busybox

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ANSWER, RawServer } from '../support/servers/raw-server.js';
import { type SteleWithServers, startWithServers } from '../support/servers/stand-in-servers.js';
import { rawRequestsTo } from '../support/service/raw-request.js';

const OK = 'HTTP/1.1 200 OK\r\n';
const UPGRADE = 'connection: upgrade\r\nupgrade: websocket\r\n';

/** The tests wait in parallel for timeouts of up to five minutes (docs/interface/servers.md, "Limits"). */
describe('A server that stops sending', () => {
  let stele: SteleWithServers;
  const servers: RawServer[] = [];

  beforeAll(async () => {
    stele = await startWithServers();
  }, 60_000);
  afterAll(async () => {
    await Promise.all(servers.map((program) => program.stop()));
    await stele?.remove();
  }, 60_000);

  async function at(slug: string, answer: (socket: Socket, head: string) => void) {
    const program = await RawServer.start(answer);
    servers.push(program);
    await stele.run(slug, { socketPath: program.socketPath });
    return rawRequestsTo(stele.port, `${slug}.localhost:${stele.port}`);
  }
  const seconds = async (work: () => Promise<void>) => {
    const began = performance.now();
    await work();
    return (performance.now() - began) / 1_000;
  };
  async function said(slug: string, sent: string): Promise<string> {
    const socket = connect(stele.port, '127.0.0.1').on('error', () => undefined);
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
    });
    socket.write(`${sent.replace('HOST', `${slug}.localhost:${stele.port}`)}`);
    await once(socket, 'close');
    return text;
  }

  it.concurrent('a server that sends nothing for a minute causes a 504, for every method', async () => {
    const ask = await at('mute', () => undefined);
    const took = await seconds(async () => {
      const asked = [ask('/'), ask('/', {}, 'POST', 'a body'), ask('/', {}, 'DELETE')];
      for (const { status, body } of await Promise.all(asked))
        expect([status, JSON.parse(String(body)).code]).toEqual([504, 'server_timeout']);
      const switching = `GET / HTTP/1.1\r\nhost: HOST\r\n${UPGRADE}\r\n`;
      expect(await said('mute', switching.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n'))).toMatch(
        /^HTTP\/1\.1 504/,
      );
    });
    expect(took).toBeGreaterThan(59);
    expect(took).toBeLessThan(150);
  }, 200_000);

  it.concurrent('a server that does not complete its response head causes a 504, even if it sends a byte now and then', async () => {
    const ask = await at('trickling', (socket) => {
      socket.write(`${OK}x: `);
      const timer = setInterval(() => socket.write('y'), 1_000);
      socket.once('close', () => clearInterval(timer));
    });
    expect((await ask('/')).status).toBe(504);
  }, 200_000);

  it.concurrent('a response that stalls in its body is aborted after two minutes', async () => {
    const ask = await at('stalling', (socket) => void socket.write(`${OK}content-length: 10\r\n\r\nhalf`));
    const took = await seconds(async () => {
      await expect(ask('/')).rejects.toThrow(/aborted|hang up|ECONNRESET/);
    });
    expect(took).toBeGreaterThan(119);
  }, 300_000);

  it.concurrent('a visitor who sends only part of a request body is not reported as a failure of the server', async () => {
    await at('listening', (socket, head) => {
      if (head.startsWith('GET')) socket.write(ANSWER);
    });
    const text = await said('listening', 'POST / HTTP/1.1\r\nhost: HOST\r\ncontent-length: 100\r\n\r\nhalf');
    expect(text).toMatch(/^HTTP\/1\.1 (408|502|504)|^$/);
    const ask = rawRequestsTo(stele.port, `listening.localhost:${stele.port}`);
    expect((await ask('/')).status).toBe(200);
  }, 200_000);

  it.concurrent('a WebSocket on which neither side sends anything is closed after five minutes', async () => {
    await at(
      'talking',
      (socket) => void socket.write('HTTP/1.1 101 S\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
    );
    const open = () => {
      const socket = connect(stele.port, '127.0.0.1').on('error', () => undefined);
      socket.write(`GET / HTTP/1.1\r\nhost: talking.localhost:${stele.port}\r\n${UPGRADE}\r\n`);
      return socket;
    };
    const [silent, speaking] = [open(), open()];
    await Promise.all([once(silent, 'data'), once(speaking, 'data')]);
    const timer = setInterval(() => speaking.write('here'), 60_000);
    const took = await seconds(async () => {
      silent.resume();
      await once(silent, 'close');
    });
    clearInterval(timer);
    expect(took).toBeGreaterThan(299);
    expect(took).toBeLessThan(400);
    expect(speaking.destroyed).toBe(false);
    speaking.destroy();
  }, 420_000);
});
