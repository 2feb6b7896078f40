import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentProgram, browserOfPerson } from '../../support/people/agent-program.js';
import { ClientDocumentHost, DOCUMENT_CA } from '../../support/people/client-document-host.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';

describe('OAuth clients identified by the URL of their metadata', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let host: ClientDocumentHost;
  let unlisted: ClientDocumentHost;
  let ann: Awaited<ReturnType<typeof browserOfPerson>>;

  beforeAll(async () => {
    temporary = await temporaryFolder('agents-documents');
    [host, unlisted] = await Promise.all([ClientDocumentHost.open(), ClientDocumentHost.open()]);
    stele = await startStele({
      folder: temporary.folder,
      env: { STELE_REPO_HOSTS: `localhost:${host.port}`, NODE_EXTRA_CA_CERTS: DOCUMENT_CA },
    });
    ann = await browserOfPerson(stele, 'ann@example.org');
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    host?.close();
    unlisted?.close();
    await temporary.remove();
  });

  const named = (clientId: string) => new AgentProgram(stele, clientId);
  /** Expects a refusal without a redirect, because nothing proves that the client owns the redirect address. */
  const refused = async (clientId: string) => {
    const answer = await ann.browser.open(named(clientId).request().href, { headers: { accept: 'application/json' } });
    expect([answer.status, answer.location]).toEqual([answer.status === 401 ? 401 : 400, null]);
    expect(JSON.parse(answer.text).error).toMatch(/^invalid_/);
    return answer.text;
  };

  it('a client can be approved, and the consent page shows the host that publishes its metadata', async () => {
    const program = named(host.serve('/agent.json'));
    const { page } = await program.asked(ann.browser);
    expect(page.text).toContain(`<strong>localhost:${host.port}</strong>`);
    expect(page.text).toContain('The app is published by this host.');
    const tokens = await program.letIn(ann.browser);
    await program.refresh(tokens.refresh_token).expect(200);
    const { body } = await stele.api.get('/v1/me/grants').set(ann.bearer).expect(200);
    expect(body.items[0].client).toEqual({ id: host.at('/agent.json'), name: 'By document' });
    expect(host.asked.filter((path) => path === '/agent.json')).toHaveLength(1);
  });

  it('a client is treated as a public client even if its metadata declares an authentication method', async () => {
    const changes = { grant_types: ['authorization_code'], token_endpoint_auth_method: 'none', contacts: ['a@b.c'] };
    await named(host.serve('/plain.json', changes)).letIn(ann.browser);
  });

  it.each<[string, object]>([
    ['names another client', { client_id: 'https://localhost/other.json' }],
    ['names no client', { client_id: undefined }],
    ['has no redirect address', { redirect_uris: undefined }],
    ['has a javascript: URL as a redirect address', { redirect_uris: ['javascript:alert(1)'] }],
    ['does not list the requested redirect address', { redirect_uris: ['https://agent.example/other'] }],
    ['is huge', { filler: 'x'.repeat(100_000) }],
  ])('a client is refused if its metadata %s', async (what, changes) => {
    await refused(host.serve(`/${what.length}.json`, changes));
  });

  it('a client is refused if its URL returns no metadata', async () => {
    const answers: Record<string, (end: (text: string, status?: number, headers?: object) => void) => void> = {
      '/text.json': (end) => end('hello'),
      '/list.json': (end) => end('[]'),
      '/null.json': (end) => end('null'),
      '/deep.json': (end) => end('['.repeat(16_000)),
      '/error.json': (end) => end('{}', 500),
      '/moved.json': (end) => end('', 302, { location: `https://localhost:${unlisted.port}/agent.json` }),
      '/inward.json': (end) => end('', 301, { location: `http://127.0.0.1:${stele.port}/v1/me` }),
    };
    unlisted.serve('/agent.json');
    for (const [path, answer] of Object.entries(answers)) {
      host.paths.set(path, (response) =>
        answer((text, status = 200, headers = {}) => response.writeHead(status, { ...headers }).end(text)),
      );
      await refused(host.at(path));
    }
    expect(unlisted.asked).toEqual([]);
  });

  it('a client is refused, without blocking the service, if its metadata never ends or arrives too slowly', async () => {
    host.paths.set('/slow.json', (response) => response.write('{'));
    host.paths.set('/silent.json', () => undefined);
    host.paths.set('/endless.json', (response) => {
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', more);
      more();
    });
    await Promise.all(['/slow.json', '/silent.json', '/endless.json'].map((path) => refused(host.at(path))));
  });

  it('a client is refused if its URL resolves to an internal address, and no request is sent to that address', async () => {
    const asked: string[] = [];
    const inward = createServer(({ url }, response) => {
      asked.push(String(url));
      response.end('{}');
    });
    await once(inward.listen(0, '127.0.0.1'), 'listening');
    const { port } = inward.address() as AddressInfo;
    unlisted.serve('/agent.json');
    const said = new Set<string>();
    for (const address of [
      `https://localhost:${unlisted.port}/agent.json`,
      `https://127.0.0.1:${unlisted.port}/agent.json`,
      `https://[::1]:${unlisted.port}/agent.json`,
      `https://[::ffff:127.0.0.1]:${unlisted.port}/agent.json`,
      `https://2130706433:${unlisted.port}/agent.json`,
      `https://0x7f.1:${unlisted.port}/agent.json`,
      `https://localhost.:${unlisted.port}/agent.json`,
      `https://127.0.0.1:${port}/agent.json`,
      'https://10.0.0.1/agent.json',
      'https://169.254.169.254/latest/meta-data',
      'https://[fd00::1]/agent.json',
      'https://no-such-name.invalid/agent.json',
    ])
      said.add(await refused(address));
    // The response does not reveal what the server found at the address.
    expect([...said].map((text) => text.replace(/"iss":"[^"]*"/, ''))).toHaveLength(1);
    expect([unlisted.asked, asked]).toEqual([[], []]);
    inward.close();
  });

  it.each([
    ['the scheme http', () => `http://localhost:${host.port}/agent.json`],
    ['a user name', () => `https://ann@localhost:${host.port}/agent.json`],
    ['a fragment', () => `https://localhost:${host.port}/agent.json#x`],
    ['dots in its path', () => `https://localhost:${host.port}/a/../agent.json`],
    ['encoded dots in its path', () => `https://localhost:${host.port}/a/%2e%2e/agent.json`],
    ['no host', () => 'https://'],
    ['the scheme file', () => 'file:///etc/passwd'],
  ])('a client is refused if its URL has %s', async (_, address) => {
    await refused(address());
  });

  it('invalid client metadata causes no server error', () =>
    expect(stele.printed()).not.toMatch(/Authorization server|ERROR \[Request\]/));
});
