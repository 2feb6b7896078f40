import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EgressProxy } from './egress-proxy.js';
import { buildHosts } from './hosts.js';

describe('The way out of a build', () => {
  let folder: string;
  let proxy: EgressProxy;
  let addresses: readonly string[];
  let asked: string[];
  /** A name is looked up for as long. */
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
    ['the metadata of a cloud', '169.254.169.254:443', 'is not one of the allowed hosts'],
    ['another port', 'registry.npmjs.org:80', 'can only be reached on port 443'],
    ['no port', 'registry.npmjs.org', 'can only be reached on port 443'],
    ['a host that only begins so', 'registry.npmjs.org.example.org:443', 'is not one of the allowed hosts'],
  ])('does not lead to %s', async (_, authority, why) => {
    expect(await ask(`CONNECT ${authority}`)).toBe('HTTP/1.1 403 Forbidden');
    expect(refused.map(([, reason]) => reason)).toEqual([why]);
    expect(asked).toEqual([]);
  });

  it.each(['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', 'fd00::1'])(
    'does not lead to %s, whatever name has that address',
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
  ])('does not take %s for a host of builds', async (host) => {
    expect(await ask(`CONNECT ${host}:443`)).toMatch(/^HTTP\/1\.1 40[03] |^$/);
    expect(asked).toEqual([]);
  });

  it.each(['REGISTRY.npmjs.ORG', 'registry.npmjs.org.'])('knows %s for the host that it is', async (host) => {
    addresses = ['127.0.0.1'];
    await ask(`CONNECT ${host}:443`);
    expect(asked).toEqual(['registry.npmjs.org']);
  });

  it('looks a name up once for all who ask at the same time', async () => {
    addresses = ['10.0.0.1'];
    const { promise, resolve } = Promise.withResolvers<void>();
    answering = promise;
    const asking = Array.from({ length: 50 }, () => ask('CONNECT registry.npmjs.org:443'));
    // It is refused at once, after those that came before it.
    await ask('CONNECT example.org:443');
    resolve();
    await Promise.all(asking);
    expect(asked).toEqual(['registry.npmjs.org']);
    expect(refused.length).toBe(51);
  });

  it('takes no more than a request needs, and 256 connections', async () => {
    expect(await ask(`CONNECT registry.npmjs.org:443 HTTP/1.1\r\nx: ${'x'.repeat(8_192)}`)).not.toContain('200');
    const sockets = Array.from({ length: 400 }, () => connect(join(folder, 'proxy.sock')));
    const closed = sockets.map((socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())));
    for (const socket of sockets) socket.on('error', () => undefined);
    // Those that are too many are closed at once; the others wait for what they would say.
    await Promise.race(closed);
    for (const socket of sockets) socket.destroy();
    await Promise.all(closed);
    addresses = ['10.0.0.1'];
    expect(await ask('CONNECT registry.npmjs.org:443')).toBe('HTTP/1.1 403 Forbidden');
  });

  it('knows no request but CONNECT', async () => {
    expect(await ask('GET http://registry.npmjs.org/')).toBe('HTTP/1.1 405 Method Not Allowed');
    expect(await ask('POST /')).toBe('HTTP/1.1 405 Method Not Allowed');
  });

  it('may lead into the operator’s own network where they have said so', async () => {
    addresses = ['127.0.0.1'];
    // Nothing listens there; it was tried.
    expect(await ask('CONNECT packages.intranet:443')).toBe('HTTP/1.1 502 Bad Gateway');
    expect(refused).toEqual([]);
  });

  describe('to the fonts that pages use', () => {
    const FONTS = ['142.250.74.10', '142.250.74.3'];
    let standIn: Server;
    let reached: string[];
    /** Of DNS, one after the other; its usual one when there is none left. */
    let answers: string[][];
    beforeEach(async () => {
      reached = [];
      answers = [];
      standIn = createServer((socket) => socket.end('@font-face')).listen(0, '127.0.0.1');
      await once(standIn, 'listening');
      await proxy.close();
      proxy = await EgressProxy.listen(join(folder, 'proxy.sock'), {
        // As without STELE_BUILD_HOSTS.
        hosts: buildHosts(null, []),
        lookup: async () => answers.shift() ?? FONTS,
        connect: (address, port) => {
          reached.push(`${address}:${port}`);
          return connect((standIn.address() as AddressInfo).port, '127.0.0.1');
        },
        onRefused: (host, why) => refused.push([host, why]),
      });
    });
    afterEach(() => void standIn.close());

    it.each(['fonts.googleapis.com', 'fonts.gstatic.com'])('leads without being told: %s', async (host) => {
      expect(await answerTo(`CONNECT ${host}:443`)).toBe('HTTP/1.1 200 Connection established\r\n\r\n@font-face');
      expect({ reached, refused }).toEqual({ reached: [`${FONTS[0]}:443`], refused: [] });
    });

    it('connects to the very address that it has checked, and refuses the name once it leads inside', async () => {
      answers = [['142.250.74.10'], ['127.0.0.1'], ['142.250.74.10', '169.254.169.254']];
      expect(await answerTo('CONNECT fonts.gstatic.com:443')).toMatch(/^HTTP\/1\.1 200 /);
      for (let n = 0; n < 2; n++) expect(await ask('CONNECT fonts.gstatic.com:443')).toBe('HTTP/1.1 403 Forbidden');
      expect({ reached, left: answers }).toEqual({ reached: ['142.250.74.10:443'], left: [] });
    });

    it.each([
      ...['ajax.googleapis.com', 'storage.googleapis.com', 'googleapis.com', 'www.gstatic.com', 'fonts.google.com'],
      ...['x.fonts.googleapis.com', 'fonts.googleapis.com.example.org', 'fonts-googleapis.com', FONTS[0]],
    ])('leads to none of their neighbours: %s', async (host) => {
      expect(await ask(`CONNECT ${host}:443`)).toBe('HTTP/1.1 403 Forbidden');
      expect({ reached, refused: refused.length }).toEqual({ reached: [], refused: 1 });
    });
  });
});
