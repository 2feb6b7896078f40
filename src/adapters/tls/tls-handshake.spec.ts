import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createSecureContext, createServer, type SecureContext } from 'node:tls';
import { afterEach, describe, expect, it } from '@jest/globals';
import { TlsHandshake } from './tls-handshake.engine.js';

const contextOf = (name: string) => {
  const pem = readFileSync(`test/fixtures/${name}.pem`);
  return createSecureContext({ key: pem, cert: pem });
};

const unwanted = new AbortController().signal;

describe('A certificate is asked for by a handshake with the name', () => {
  let server: Server;
  const sockets = new Set<Socket>();
  /** The names that it was asked for. */
  const asked: string[] = [];
  afterEach(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
    asked.length = 0;
  });

  async function listen(made: Server): Promise<TlsHandshake> {
    server = made;
    server.on('connection', (socket) => sockets.add(socket.on('error', () => undefined)));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return new TlsHandshake({ host: '127.0.0.1', port: (server.address() as AddressInfo).port }, 500);
  }

  /** As Caddy does: it finds or gets the certificate of each name before it goes on, or breaks off. */
  const answering = (certificateOf: (name: string) => Promise<SecureContext | null>) =>
    listen(
      createServer({
        SNICallback: (name, done) => {
          asked.push(name);
          certificateOf(name).then(
            (found) => done(found === null ? new Error('None.') : null, found ?? undefined),
            (error) => done(error),
          );
        },
      }).on('tlsClientError', () => undefined),
    );

  it('is there once the handshake is done, whoever has signed it', async () => {
    const tls = await answering(async () => contextOf('stele.test'));
    await tls.obtain('stele.test', unwanted);
    expect(asked).toEqual(['stele.test']);
  });

  it('is waited for while it is got', async () => {
    let isGot = false;
    const tls = await answering(async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      isGot = true;
      return contextOf('stele.test');
    });
    await tls.obtain('stele.test', unwanted);
    expect(isGot).toBe(true);
  });

  it('is not there where the server breaks off', async () => {
    const tls = await answering(async () => null);
    await expect(tls.obtain('stele.test', unwanted)).rejects.toThrow(
      /^No certificate for stele\.test at 127\.0\.0\.1:\d+: ./,
    );
  });

  it('is not there where the server shows that of another name', async () => {
    const tls = await answering(async () => contextOf('localhost.test'));
    await expect(tls.obtain('stele.test', unwanted)).rejects.toThrow('the certificate is for another name');
  });

  it('is not there where it is over', async () => {
    const tls = await answering(async () => contextOf('over.test'));
    await expect(tls.obtain('over.test', unwanted)).rejects.toThrow('the certificate has expired');
  });

  it('is not there where nothing is said in time', async () => {
    const tls = await listen(createTcpServer());
    await expect(tls.obtain('stele.test', unwanted)).rejects.toThrow('no response within 0.5 s');
  });

  it('is not there where the other side leaves, or speaks no TLS', async () => {
    const leaving = await listen(createTcpServer((socket) => socket.end()));
    await expect(leaving.obtain('stele.test', unwanted)).rejects.toThrow('No certificate for stele.test');
    server.close();
    const plain = await listen(createTcpServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')));
    await expect(plain.obtain('stele.test', unwanted)).rejects.toThrow('No certificate for stele.test');
  });

  it('is not there where nobody listens', async () => {
    const tls = await listen(createTcpServer());
    server.close();
    await once(server, 'close');
    await expect(tls.obtain('stele.test', unwanted)).rejects.toThrow(/ECONNREFUSED/);
  });

  it('is no longer asked for when the process ends', async () => {
    const tls = await listen(createTcpServer());
    const ending = new AbortController();
    const obtained = tls.obtain('stele.test', ending.signal);
    ending.abort(new Error('Stopping.'));
    await expect(obtained).rejects.toThrow('Stopping.');
    await expect(tls.obtain('stele.test', ending.signal)).rejects.toThrow('Stopping.');
  });
});
