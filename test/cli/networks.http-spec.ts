// needs: openssl

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AuthenticatingProxy, startTls } from '../support/cli/networks.js';
import { CommandLine } from '../support/cli/stele-command.js';
import { type Stele, sharedStele, temporaryFolder } from '../support/service/stele.js';

let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
let stele: Stele;
let machine: CommandLine;

beforeAll(async () => {
  temporary = await temporaryFolder('cli-networks');
  stele = await sharedStele({ folder: temporary.folder });
}, 60_000);
afterAll(async () => {
  await stele?.stop();
  await temporary.remove();
});
beforeEach(async () => {
  machine = await CommandLine.create(stele.base);
  await machine.write('dist/index.html', 'hello');
});
afterEach(() => machine?.remove());

describe('stele behind an authenticating proxy', () => {
  let proxy: AuthenticatingProxy;

  beforeEach(async () => {
    proxy = await AuthenticatingProxy.open('ann:secret word');
  });
  afterEach(() => proxy?.close());

  it('sends its requests through the proxy, and prints no warning', async () => {
    const env = { HTTP_PROXY: `http://ann:secret%20word@127.0.0.1:${proxy.port}` };
    const { code, err } = await machine.run(['deploy', '--quiet'], { env });
    expect([code, err]).toEqual([0, '']);
    expect(proxy.passed.length).toBeGreaterThan(0);
  }, 30_000);

  it('says so if the proxy refuses the password', async () => {
    const env = { http_proxy: `http://ann:wrong@127.0.0.1:${proxy.port}` };
    const printed = await machine.json(['deploy'], { env });
    expect(printed).toMatchObject({ ok: false, exitCode: 5, code: 'network' });
    expect(printed.detail).toContain('407');
    expect([proxy.passed, proxy.refused > 0]).toEqual([[], true]);
  }, 60_000);

  it('refuses to connect if Node is too old to use the proxy, and sends nothing', async () => {
    const hook = join(machine.folder, 'old-node.cjs');
    await writeFile(
      hook,
      "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.20.0' } });",
    );
    const env = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, NODE_OPTIONS: `--require=${hook}` };
    const { code, out, err } = await machine.run(['deploy'], { env });
    expect([code, out, proxy.passed, proxy.refused]).toEqual([2, '', [], 0]);
    expect(err).toMatch(
      /^Error: The proxy in HTTP_PROXY needs Node 22\.21\+ or 24\+, but this is Node 22\.20\.0\..*\n$/,
    );
    expect((await machine.run(['deploy'], { env: { ...env, NO_PROXY: '127.0.0.1' } })).code).toBe(0);
  }, 30_000);

  it('--verify fetches a site on this machine without the proxy', async () => {
    const env = { HTTP_PROXY: `http://ann:secret%20word@127.0.0.1:${proxy.port}` };
    expect(await machine.json(['deploy', '--verify'], { env })).toMatchObject({ exitCode: 0, files: 1 });
  }, 30_000);

  it('does not use the proxy for hosts in NO_PROXY', async () => {
    const env = { HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: '127.0.0.1' };
    expect((await machine.run(['deploy'], { env })).code).toBe(0);
  }, 30_000);
});

describe('stele with a private certificate authority', () => {
  let secure: Awaited<ReturnType<typeof startTls>>;

  beforeEach(async () => {
    secure = await startTls(machine.folder, stele.port);
  });
  afterEach(() => {
    secure?.close();
  });

  it('trusts the certificates given with --ca, and suggests --ca if a certificate is not trusted', async () => {
    const env = { STELE_INSTANCE: secure.address };
    expect((await machine.run(['deploy', '--ca', secure.certificate], { env })).code).toBe(0);
    const printed = await machine.json(['instances', 'check'], { env });
    expect(printed).toMatchObject({ ok: false, exitCode: 5, code: 'network' });
    expect(printed.detail).toContain('--ca FILE');
  }, 60_000);

  it('explains how to trust a certificate if Node is too old to use those of the system', async () => {
    const hook = join(machine.folder, 'old-node.cjs');
    await writeFile(hook, "delete require('node:tls').setDefaultCACertificates;");
    const env = { STELE_INSTANCE: secure.address, NODE_OPTIONS: `--require=${hook}` };
    const { detail } = await machine.json(['instances', 'check'], { env });
    expect(detail).toContain('Install Node 22.19+ or 24.5+, or set NODE_EXTRA_CA_CERTS to a file with the certificate');
    expect(detail).not.toContain('--ca');
  }, 60_000);

  it('refuses a --ca file without certificates', async () => {
    await machine.write('empty.pem', 'nothing');
    const env = { STELE_INSTANCE: secure.address };
    const printed = await machine.json(['sites', '--ca', 'empty.pem'], { env });
    expect(printed).toMatchObject({ exitCode: 2, code: 'usage' });
  });
});
