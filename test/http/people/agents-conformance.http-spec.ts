import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AgentProgram, browserOfPerson, homeOf } from '../../support/people/agent-program.js';
import { reusablePort } from '../../support/service/reusable-port.js';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';

const suite = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
);

describe('MCP conformance suite for authorization servers', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;

  beforeAll(async () => {
    temporary = await temporaryFolder('agents-conformance');
    stele = await sharedStele({ folder: temporary.folder });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  it('the conformance suite finds no failure in any protocol revision', async () => {
    const port = await reusablePort();
    const redirectUri = `http://127.0.0.1:${port}/callback`;
    const program = await AgentProgram.registered(stele, { redirect_uris: [redirectUri] });
    const ann = await browserOfPerson(stele, 'ann@agents-conformance.example.org');
    const asked = ['--url', homeOf(stele), '--client-id', program.clientId, '--resource', program.resource];
    const running = spawn(process.execPath, [suite, 'authorization', ...asked, '--port', String(port)]);
    let said = '';
    const address = new Promise<string>((resolve) => {
      running.stdout.on('data', (chunk: Buffer) => {
        said += chunk;
        const found = /^http\S+\/oauth\/authorize\S+$/m.exec(said)?.[0];
        if (found && said.includes('Waiting')) resolve(found);
      });
    });
    running.stderr.on('data', (chunk: Buffer) => {
      said += chunk;
    });
    const ended = once(running, 'exit');
    const href = await Promise.race([address, ended.then(() => Promise.reject(new Error(said)))]);
    const { location } = await ann.browser.open(href);
    const page = await ann.browser.open(location ?? '');
    const { onward } = await program.answer(ann.browser, location ?? '', page.text);
    await fetch(onward ?? '');
    const [code] = await ended;
    expect({ code, said }).toEqual({ code: 0, said: expect.not.stringMatching(/FAILURE|WARNING|✗/) });
    for (const scenario of ['authorization-server-metadata-endpoint', 'authorization-code-grant'])
      expect(said).toContain(scenario);
  }, 120_000);
});
