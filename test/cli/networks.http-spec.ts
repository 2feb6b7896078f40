// needs: openssl

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

  it('refuses a --ca file without certificates', async () => {
    await machine.write('empty.pem', 'nothing');
    const env = { STELE_INSTANCE: secure.address };
    const printed = await machine.json(['sites', '--ca', 'empty.pem'], { env });
    expect(printed).toMatchObject({ exitCode: 2, code: 'usage' });
  });
});
