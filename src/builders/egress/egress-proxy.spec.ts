import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
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
  let refused: [string, string][];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stele-egress-'));
    addresses = ['93.184.215.14'];
    asked = [];
    refused = [];
    proxy = await EgressProxy.listen(join(folder, 'proxy.sock'), {
      hosts: buildHosts(null, ['packages.intranet']),
      lookup: async (host) => {
        asked.push(host);
        return addresses;
      },
      onRefused: (host, why) => refused.push([host, why]),
    });
  });
  afterEach(async () => {
    await proxy.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function ask(line: string): Promise<string> {
    const socket = connect(join(folder, 'proxy.sock'));
    socket.end(`${line} HTTP/1.1\r\nhost: x\r\n\r\n`);
    return (await text(socket)).split('\r\n')[0] ?? '';
  }

  it.each([
    ['another host', 'example.org:443', 'is none of the hosts that builds may reach'],
    ['an address', '93.184.215.14:443', 'is none of the hosts that builds may reach'],
    ['the metadata of a cloud', '169.254.169.254:443', 'is none of the hosts that builds may reach'],
    ['another port', 'registry.npmjs.org:80', 'is reached on port 443 alone'],
    ['no port', 'registry.npmjs.org', 'is reached on port 443 alone'],
    ['a host that only begins so', 'registry.npmjs.org.example.org:443', 'is none of the hosts that builds may reach'],
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
      expect(refused).toEqual([['registry.npmjs.org', 'leads to an address that is not public']]);
    },
  );

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
});
