import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SniServer } from '../../../test/support/dns/sni-server.js';
import {
  extension,
  messageOf,
  nodeClientHello,
  recordsOf,
  withExtensions,
} from '../../../test/support/hostile/client-hello.js';
import { EgressProxy } from './egress-proxy.js';
import { buildHosts } from './hosts.js';

describe('EgressProxy', () => {
  let folder: string;
  let proxy: EgressProxy;
  let addresses: readonly string[];
  let asked: string[];
  /** DNS responses are delayed until this promise resolves. */
  let answering: Promise<void>;
  let refused: [string, string][];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stele-egress-'));
    addresses = ['93.184.215.14'];
    asked = [];
    answering = Promise.resolve();
    refused = [];
    proxy = await EgressProxy.listen(join(folder, 'proxy.sock'), {
      hosts: buildHosts(null, ['packages.intranet']),
      lookup: async (host) => {
        asked.push(host);
        await answering;
        return addresses;
      },
      onRefused: (host, why) => refused.push([host, why]),
    });
  });
  afterEach(async () => {
    await proxy.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function answerTo(line: string): Promise<string> {
    const socket = connect(join(folder, 'proxy.sock'));
    socket.end(`${line} HTTP/1.1\r\nhost: x\r\n\r\n`);
    return text(socket);
  }
  const ask = async (line: string) => (await answerTo(line)).split('\r\n')[0] ?? '';

  it.each([
    ['another host', 'example.org:443', 'is not one of the allowed hosts'],
    ['an address', '93.184.215.14:443', 'is not one of the allowed hosts'],
    ['the metadata service of a cloud', '169.254.169.254:443', 'is not one of the allowed hosts'],
    ['another port', 'registry.npmjs.org:80', 'can only be reached on port 443'],
    ['a missing port', 'registry.npmjs.org', 'can only be reached on port 443'],
    [
      'a host that begins with the name of an allowed host',
      'registry.npmjs.org.example.org:443',
      'is not one of the allowed hosts',
    ],
  ])('a connection is refused for %s', async (_, authority, why) => {
    expect(await ask(`CONNECT ${authority}`)).toBe('HTTP/1.1 403 Forbidden');
    expect(refused.map(([, reason]) => reason)).toEqual([why]);
    expect(asked).toEqual([]);
  });

  it.each(['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', 'fd00::1'])(
    'a connection is refused if an allowed host name also resolves to %s',
    async (address) => {
      addresses = ['93.184.215.14', address];
      expect(await ask('CONNECT registry.npmjs.org:443')).toBe('HTTP/1.1 403 Forbidden');
      expect(refused).toEqual([['registry.npmjs.org', 'resolves to an address that is not public']]);
    },
  );

  it.each([
    ...['127.1', '2130706433', '0x7f000001', '0177.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '::1', 'localhost'],
    ...['registry.npmjs.org@127.0.0.1', '127.0.0.1@registry.npmjs.org', 'registry.npmjs.org%00.evil.example'],
    ...['xregistry.npmjs.org', 'registry.npmjs.org..', 'registry.npmjs.org/', 'https://registry.npmjs.org'],
  ])('the name %s is not mistaken for an allowed host', async (host) => {
    expect(await ask(`CONNECT ${host}:443`)).toMatch(/^HTTP\/1\.1 40[03] |^$/);
    expect(asked).toEqual([]);
  });

  it.each(['REGISTRY.npmjs.ORG', 'registry.npmjs.org.'])(
    'the name %s is recognized as an allowed host',
    async (host) => {
      addresses = ['127.0.0.1'];
      await ask(`CONNECT ${host}:443`);
      expect(asked).toEqual(['registry.npmjs.org']);
    },
  );

  it('simultaneous requests for a name share one DNS lookup', async () => {
    addresses = ['10.0.0.1'];
    const { promise, resolve } = Promise.withResolvers<void>();
    answering = promise;
    const asking = Array.from({ length: 50 }, () => ask('CONNECT registry.npmjs.org:443'));
    // The proxy refuses this request without a DNS lookup. When its response arrives, the proxy is already processing
    // all earlier requests.
    await ask('CONNECT example.org:443');
    resolve();
    await Promise.all(asking);
    expect(asked).toEqual(['registry.npmjs.org']);
    expect(refused.length).toBe(51);
  });

  it('the size of a request and the number of connections are limited', async () => {
    expect(await ask(`CONNECT registry.npmjs.org:443 HTTP/1.1\r\nx: ${'x'.repeat(8_192)}`)).not.toContain('200');
    const sockets = Array.from({ length: 400 }, () => connect(join(folder, 'proxy.sock')));
    const closed = sockets.map((socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())));
    for (const socket of sockets) socket.on('error', () => undefined);
    // The proxy closes excess connections immediately. The other connections wait for a request.
    await Promise.race(closed);
    for (const socket of sockets) socket.destroy();
    await Promise.all(closed);
    addresses = ['10.0.0.1'];
    expect(await ask('CONNECT registry.npmjs.org:443')).toBe('HTTP/1.1 403 Forbidden');
  });

  it('only the CONNECT method is supported', async () => {
    expect(await ask('GET http://registry.npmjs.org/')).toBe('HTTP/1.1 405 Method Not Allowed');
    expect(await ask('POST /')).toBe('HTTP/1.1 405 Method Not Allowed');
  });

  it('a host that the operator has listed may have private addresses', async () => {
    addresses = ['127.0.0.1'];
    // A 502 response shows that the proxy tried to connect to an address where nothing listens.
    expect(await ask('CONNECT packages.intranet:443')).toBe('HTTP/1.1 502 Bad Gateway');
    expect(refused).toEqual([]);
  });

  describe('A tunnel through the egress proxy', () => {
    const FONTS = ['142.250.74.10', '142.250.74.3'];
    const ALERT = '15030300020231';
    let target: SniServer;
    let reached: string[];
    /** DNS responses in order. After the last one, the default response is returned. */
    let answers: string[][];
    const listen = (listed: readonly string[] | null, handshakeMs?: number) =>
      EgressProxy.listen(join(folder, 'proxy.sock'), {
        hosts: buildHosts(listed, []),
        lookup: async () => answers.shift() ?? FONTS,
        connect: (address, port) => {
          reached.push(`${address}:${port}`);
          return connect(target.at);
        },
        onRefused: (host, why) => refused.push([host, why]),
        ...(handshakeMs !== undefined && { handshakeMs }),
      });
    beforeEach(async () => {
      reached = [];
      answers = [];
      target = await SniServer.start();
      await proxy.close();
      proxy = await listen(null);
    });
    afterEach(async () => {
      await proxy.close();
      await target.close();
    });

    /** Opens a tunnel without sending data through it. `head` is sent together with the request. */
    async function tunnel(host: string, head: Uint8Array = Buffer.alloc(0)): Promise<Socket> {
      const socket = connect(join(folder, 'proxy.sock'));
      const authority = host.includes(':') ? `[${host}]` : host;
      socket.write(Buffer.concat([Buffer.from(`CONNECT ${authority}:443 HTTP/1.1\r\nhost: x\r\n\r\n`), head]));
      const [answer] = await once(socket, 'data');
      const status = 'HTTP/1.1 200 Connection established\r\n\r\n';
      expect(String(answer.subarray(0, status.length))).toBe(status);
      if (answer.length > status.length) socket.unshift(answer.subarray(status.length));
      return socket;
    }
    /** Returns the result of a TLS handshake with Node’s client. */
    async function handshake(host: string, options: ConnectionOptions): Promise<string> {
      const client = connectTls({ socket: await tunnel(host), rejectUnauthorized: false, ...options });
      return new Promise<string>((resolve) => {
        client.once('secureConnect', () => resolve('secure'));
        client.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
        client.once('close', () => resolve('closed'));
      }).finally(() => client.destroy());
    }
    /** Sends bytes, and returns the first bytes of the response in hexadecimal. */
    async function reply(host: string, ...pieces: readonly (string | Uint8Array)[]): Promise<string> {
      const socket = await tunnel(host);
      for (const piece of pieces) socket.write(piece);
      const [bytes] = await once(socket, 'data');
      socket.destroy();
      return bytes.subarray(0, 7).toString('hex');
    }

    it.each(['fonts.googleapis.com', 'fonts.gstatic.com'])('the host %s is allowed by default', async (host) => {
      expect(await handshake(host, { servername: host })).toBe('secure');
      expect({ reached, asked: target.asked, refused }).toEqual({
        reached: [`${FONTS[0]}:443`],
        asked: [host],
        refused: [],
      });
    });

    it('a tunnel connects to the address that was checked, and each new tunnel checks the addresses again', async () => {
      answers = [['142.250.74.10'], ['127.0.0.1'], ['142.250.74.10', '169.254.169.254']];
      (await tunnel('fonts.gstatic.com')).destroy();
      for (let n = 0; n < 2; n++) expect(await ask('CONNECT fonts.gstatic.com:443')).toBe('HTTP/1.1 403 Forbidden');
      expect({ reached, left: answers }).toEqual({ reached: ['142.250.74.10:443'], left: [] });
    });

    it.each([
      ...['ajax.googleapis.com', 'storage.googleapis.com', 'googleapis.com', 'www.gstatic.com', 'fonts.google.com'],
      ...['x.fonts.googleapis.com', 'fonts.googleapis.com.example.org', 'fonts-googleapis.com', FONTS[0]],
    ])('a host with a name or owner similar to an allowed one is refused: %s', async (host) => {
      expect(await ask(`CONNECT ${host}:443`)).toBe('HTTP/1.1 403 Forbidden');
      expect({ reached, refused: refused.length }).toEqual({ reached: [], refused: 1 });
    });

    it.each(['example.org', 'x.fonts.gstatic.com', 'gstatic.com'])(
      'a TLS handshake with another server name, %s, is refused',
      async (name) => {
        expect(await handshake('fonts.gstatic.com', { servername: name })).toBe('ERR_SSL_TLSV1_ALERT_ACCESS_DENIED');
        expect(refused).toEqual([['fonts.gstatic.com', `was requested, but the TLS ClientHello names ${name}`]]);
        expect(target.asked).toEqual([]);
      },
    );

    it('a TLS server name that differs from the requested host only in case is accepted', async () => {
      expect(await handshake('FONTS.gstatic.com.', { servername: 'fonts.GSTATIC.com' })).toBe('secure');
    });

    it('a TLS handshake without a server name is refused', async () => {
      expect(await handshake('fonts.gstatic.com', {})).toBe('ERR_SSL_TLSV1_ALERT_ACCESS_DENIED');
      expect(refused).toEqual([
        ['fonts.gstatic.com', 'was requested, but the TLS ClientHello names no host: the client must send SNI'],
      ]);
    });

    it.each(['10.1.2.3', 'fd00::1'])(
      'a TLS handshake without a server name is accepted for the address %s, which the operator has listed',
      async (address) => {
        await proxy.close();
        proxy = await listen([address]);
        expect(await handshake(address, {})).toBe('secure');
        expect(await handshake(address, { servername: 'example.org' })).toBe('ERR_SSL_TLSV1_ALERT_ACCESS_DENIED');
        expect(refused).toEqual([[address, 'was requested, but the TLS ClientHello names example.org']]);
      },
    );

    it.each<[string, (hello: Buffer) => Buffer | string, string]>([
      [
        'with Encrypted Client Hello',
        (hello) => withExtensions(hello, (own) => [...own, extension(0xfe0d, Buffer.alloc(80))]),
        'was requested with Encrypted Client Hello, which must be turned off',
      ],
      [
        'with early data',
        (hello) => withExtensions(hello, (own) => [...own, extension(42, Buffer.alloc(0))]),
        'was requested with TLS early data (0-RTT), which must be turned off',
      ],
      ['that is an HTTP request', () => 'GET / HTTP/1.1\r\n\r\n', 'was requested, but the client did not use TLS'],
      [
        'that is malformed',
        (hello) => withExtensions(hello, (own) => [...own, ...own]),
        'was requested, but the TLS ClientHello is malformed',
      ],
      [
        'of more than 16 KiB',
        (hello) => withExtensions(hello, (own) => [...own, extension(21, Buffer.alloc(16_000))]),
        'was requested, but the TLS ClientHello is larger than 16 KiB',
      ],
    ])('a TLS handshake %s is refused', async (_name, change, why) => {
      const bytes = change(await nodeClientHello({ servername: 'fonts.gstatic.com' }));
      expect(await reply('fonts.gstatic.com', bytes)).toBe(ALERT);
      expect(refused).toEqual([['fonts.gstatic.com', why]]);
      expect(target.asked).toEqual([]);
    });

    it('a TLS handshake can be sent together with the request, or split into packets or records', async () => {
      const hello = await nodeClientHello({ servername: 'fonts.gstatic.com' });
      const socket = await tunnel('fonts.gstatic.com', hello);
      expect((await once(socket, 'data'))[0][0]).toBe(22);
      socket.destroy();
      expect(await reply('fonts.gstatic.com', hello.subarray(0, 3), hello.subarray(3, 90), hello.subarray(90))).toMatch(
        /^16/,
      );
      expect(await reply('fonts.gstatic.com', recordsOf(messageOf(hello), 100))).toMatch(/^16/);
      expect(refused).toEqual([]);
    });

    it('a TLS handshake that is not complete in time is refused', async () => {
      await proxy.close();
      proxy = await listen(null, 100);
      const hello = await nodeClientHello({ servername: 'fonts.gstatic.com' });
      expect(await reply('fonts.gstatic.com', hello.subarray(0, -1))).toBe(ALERT);
      expect(refused).toEqual([
        ['fonts.gstatic.com', expect.stringMatching(/^was requested, but no TLS ClientHello arrived within /)],
      ]);
    });

    it('a second ClientHello with the name of another host is refused', async () => {
      // The server does not support the group of the client’s first key share, so it requests a second ClientHello.
      const groups = { ecdhCurve: 'X25519:P-384' };
      await target.close();
      target = await SniServer.start({ ecdhCurve: 'P-384' });
      expect(await handshake('fonts.gstatic.com', { servername: 'fonts.gstatic.com', ...groups })).toBe('secure');
      const own = await nodeClientHello({ servername: 'fonts.gstatic.com', ...groups });
      const other = await nodeClientHello({ servername: 'example.org', ...groups });
      const socket = await tunnel('fonts.gstatic.com', own);
      // The server’s first message is a HelloRetryRequest.
      expect((await once(socket, 'data'))[0][0]).toBe(22);
      socket.write(Buffer.concat([Buffer.from([20, 3, 3, 0, 1, 1]), other]));
      let last = '';
      for await (const bytes of socket) last = bytes.toString('hex');
      expect(last).toMatch(new RegExp(`${ALERT}$`));
      expect(refused).toEqual([['fonts.gstatic.com', 'was requested, but the TLS ClientHello names example.org']]);
    });
  });
});
