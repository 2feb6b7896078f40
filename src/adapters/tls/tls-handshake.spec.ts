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

describe('Obtaining a certificate by a TLS handshake', () => {
  let server: Server;
  const sockets = new Set<Socket>();
  /** Names for which the client requested a certificate. */
  const asked: string[] = [];
  afterEach(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
    asked.length = 0;
  });

  async function listen(made: Server, withinMs?: number): Promise<TlsHandshake> {
    server = made;
    server.on('connection', (socket) => sockets.add(socket.on('error', () => undefined)));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return new TlsHandshake({ host: '127.0.0.1', port: (server.address() as AddressInfo).port }, withinMs);
  }

  /**
   * Creates a TLS server that behaves like Caddy: during the handshake, it finds or obtains a certificate for the name,
   * or aborts.
   */
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

  it('a completed handshake succeeds, whoever signed the certificate', async () => {
    const tls = await answering(async () => contextOf('stele.test'));
    await tls.obtain('stele.test', unwanted);
    expect(asked).toEqual(['stele.test']);
  });

  it('the client waits while the server obtains the certificate', async () => {
    let isGot = false;
    const tls = await answering(async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      isGot = true;
      return contextOf('stele.test');
    });
    await tls.obtain('stele.test', unwanted);
    expect(isGot).toBe(true);
  });

  it('the attempt fails if the server aborts the handshake', async () => {
    const tls = await answering(async () => null);
    await expect(tls.obtain('stele.test', unwanted)).rejects.toThrow(
      /^No certificate for stele\.test at 127\.0\.0\.1:\d+: ./,
    );
  });

  it('the attempt fails if the certificate is for another name', async () => {
    const tls = await answering(async () => contextOf('localhost.test'));
    await expect(tls.obtain('stele.test', unwanted)).rejects.toThrow('the certificate is for another name');
  });

  it('the attempt fails if the certificate has expired', async () => {
    const tls = await answering(async () => contextOf('over.test'));
    await expect(tls.obtain('over.test', unwanted)).rejects.toThrow('the certificate has expired');
  });

  it('the attempt fails if the server does not respond in time', async () => {
    const tls = await listen(createTcpServer(), 500);
    await expect(tls.obtain('stele.test', unwanted)).rejects.toThrow('no response within 0.5 s');
  });

  it('the attempt fails if the server disconnects or does not use TLS', async () => {
    const leaving = await listen(createTcpServer((socket) => socket.end()));
    await expect(leaving.obtain('stele.test', unwanted)).rejects.toThrow('No certificate for stele.test');
    server.close();
    const plain = await listen(createTcpServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')));
    await expect(plain.obtain('stele.test', unwanted)).rejects.toThrow('No certificate for stele.test');
  });

  it('the attempt fails if no server listens at the address', async () => {
    const tls = await listen(createTcpServer());
    server.close();
    await once(server, 'close');
    await expect(tls.obtain('stele.test', unwanted)).rejects.toThrow(/ECONNREFUSED/);
  });

  it('the attempt ends if the signal aborts', async () => {
    const tls = await listen(createTcpServer());
    const ending = new AbortController();
    const obtained = tls.obtain('stele.test', ending.signal);
    ending.abort(new Error('Stopping.'));
    await expect(obtained).rejects.toThrow('Stopping.');
    await expect(tls.obtain('stele.test', ending.signal)).rejects.toThrow('Stopping.');
  });
});
