import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CuttingProxy } from '../support/cli/cutting-proxy.js';
import {
  CLAIM,
  hasSiteOption,
  LOCAL,
  listUnknownCommands,
  otherRequests,
  REQUESTS,
} from '../support/cli/every-command.js';
import { HoldingProxy } from '../support/cli/holding-proxy.js';
import { CommandLine } from '../support/cli/stele-command.js';
import { signIn } from '../support/people/sign-in.js';
import { type Stele, sharedStele, temporaryFolder } from '../support/service/stele.js';

let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
let stele: Stele;
let machine: CommandLine;

beforeAll(async () => {
  temporary = await temporaryFolder('cli-troubles');
  stele = await sharedStele({ folder: temporary.folder });
}, 60_000);
afterAll(async () => {
  await stele?.stop();
  await temporary.remove();
});
beforeEach(async () => {
  machine = await CommandLine.create(stele.base);
  await machine.write('index.html', 'hello');
});
afterEach(() => machine?.remove());

const MIB = 1024 * 1024;

const address = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Runs commands, eight at a time, and returns those that do not end as expected. */
async function runAll(
  commands: readonly (readonly string[])[],
  env: Record<string, string>,
  expected: { exitCode: number; code: string },
): Promise<unknown[]> {
  const unexpected: unknown[] = [];
  const queue = [...commands];
  const work = async () => {
    for (let words = queue.shift(); words; words = queue.shift()) {
      const site = hasSiteOption(words) ? ['--site', 'a-site'] : [];
      const printed = await machine.json([...words, ...site, '--yes'], { env, input: 'value' });
      const { exitCode, code } = printed;
      if (exitCode !== expected.exitCode || code !== expected.code) unexpected.push({ words, printed });
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return unexpected;
}

/** Stores a session, and an edit token of `a-site`. */
async function storeCredentials(instance: string, token: string): Promise<void> {
  const instances = { [instance]: { token, editTokens: { 'a-site': 'stele_edit_x' } } };
  await mkdir(dirname(machine.credentials), { recursive: true });
  await writeFile(machine.credentials, JSON.stringify({ version: 1, current: instance, instances }));
}

describe('all commands', () => {
  it('every command in the help texts is tested here', async () => {
    expect(await listUnknownCommands(machine)).toEqual([]);
  }, 60_000);

  it('every command exits with code 5 and prints a single JSON object if the instance does not respond', async () => {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const instance = address(server);
    await new Promise((closed) => server.close(closed));
    const env = { STELE_INSTANCE: instance, STELE_TOKEN: 'stele_pat_x' };
    await storeCredentials(instance, 'stele_session_x');
    const commands = [...REQUESTS, CLAIM, ...otherRequests(instance)];
    expect(await runAll(commands, env, { exitCode: 5, code: 'network' })).toEqual([]);
  }, 300_000);

  it('every command that sends no requests succeeds if the instance does not respond', async () => {
    const env = { STELE_INSTANCE: 'http://127.0.0.1:9' };
    await machine.write('stele.json', JSON.stringify({ instance: env.STELE_INSTANCE, site: 'a-site' }));
    await machine.write('netlify.toml', '[[redirects]]\nfrom = "/a"\nto = "/b"\n');
    for (const words of LOCAL) expect(await machine.json(words, { env })).toMatchObject({ ok: true, exitCode: 0 });
  }, 60_000);

  it('every command exits with code 3 and prints a single JSON object if its token is no longer valid', async () => {
    const { token, bearer } = await signIn(stele, 'cli-troubles@example.org');
    await stele.api.post('/v1/auth/logout').set(bearer).expect(204);
    await storeCredentials(stele.base, token);
    const expected = { exitCode: 3, code: 'unauthenticated' };
    expect(await runAll([...REQUESTS, CLAIM], { STELE_TOKEN: token }, expected)).toEqual([]);
  }, 300_000);

  it('a user whose session has expired can sign out, and use or add an instance', async () => {
    const { token, bearer } = await signIn(stele, 'cli-troubles@example.org');
    await stele.api.post('/v1/auth/logout').set(bearer).expect(204);
    await storeCredentials(stele.base, token);
    for (const words of otherRequests(stele.base).filter(([name]) => name !== 'login'))
      expect(await machine.json(words)).toMatchObject({ ok: true, exitCode: 0 });
    expect(await readFile(machine.credentials, 'utf8')).not.toContain(token);
  }, 60_000);
});

describe('exit codes', () => {
  /** An instance that always responds with one error. */
  async function failing(status: number, code: string): Promise<Server> {
    const server = createServer((_, response) => {
      response
        .writeHead(status, { 'content-type': 'application/problem+json', 'retry-after': '0' })
        .end(JSON.stringify({ status, code, title: code, detail: code }));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return server;
  }
  it('exit code 0 means that the command succeeded', async () => {
    expect((await machine.run(['deploy'])).code).toBe(0);
  });

  it('exit code 1 means that the service refused the request', async () => {
    await machine.run(['deploy']);
    expect((await machine.run(['rollback', '99'])).code).toBe(1);
  });

  it('exit code 2 means that the command line is invalid', async () => {
    for (const words of [['deploy', '--nonsense'], ['nonsense'], ['rename'], ['access', 'nobody']])
      expect((await machine.run(words)).code).toBe(2);
  });

  it('exit code 3 means that the user is not signed in or lacks permission', async () => {
    expect((await machine.run(['whoami'])).code).toBe(3);
    const [owner, other] = [await signIn(stele, 'cli-owner@example.org'), await signIn(stele, 'cli-other@example.org')];
    const { body: site } = await stele.api.post('/v1/deploy').set(owner.bearer).type('html').send('hers').expect(200);
    const env = { STELE_TOKEN: other.token };
    expect((await machine.run(['deploy', '--site', site.slug], { env })).code).toBe(3);
    expect((await machine.run(['members', 'list', '--site', site.slug], { env })).code).toBe(3);
  });

  it('exit code 4 means that the command needs a confirmation, but nobody can be prompted', async () => {
    await machine.run(['deploy']);
    expect((await machine.run(['delete'])).code).toBe(4);
  });

  it('exit code 5 means that the service is still unavailable after several attempts', async () => {
    const server = await failing(503, 'unavailable');
    const { code, err } = await machine.run(['sites'], {
      env: { STELE_INSTANCE: address(server), STELE_TOKEN: 'stele_pat_x' },
    });
    server.close();
    expect([code, err]).toEqual([5, expect.stringMatching(/Trying again in 0\.\d s \(attempt 2 of 4\)\./)]);
  }, 30_000);

  it('exit code 6 means that the site has changed since the expected deploy', async () => {
    await machine.run(['deploy']);
    await machine.write('index.html', 'changed');
    await machine.run(['deploy']);
    expect((await machine.run(['deploy', '--if-match', '2'])).code).toBe(6);
  });

  it('exit code 6 means that the folder changed while it was uploaded', async () => {
    const { token } = await signIn(stele, 'cli-changing-folder@example.org');
    // A single file is uploaded by itself and not in an archive.
    await machine.write('dist/large.bin', randomBytes(20 * MIB));
    const proxy = await CuttingProxy.open(stele.port);
    const env = { STELE_INSTANCE: proxy.url, STELE_TOKEN: token };
    const ended = machine.json(['deploy', 'dist'], { env });
    await proxy.sends(MIB);
    // The proxy runs in this process. The write is synchronous, so the proxy forwards nothing more until the file has
    // changed.
    writeFileSync(join(machine.project, 'dist/large.bin'), 'short');
    expect(await ended).toMatchObject({ ok: false, code: 'folder_changed', exitCode: 6 });
    proxy.close();
  }, 60_000);

  it.each(['dist', 'dist/page.html', 'dist/part'])(
    'exit code 6 means that %s was removed while the folder was read',
    async (removed) => {
      await machine.write('dist/page.html', 'page');
      await machine.write('dist/part/page.html', 'page');
      // Node loads this script before the command. It removes the file or folder as soon as its folder was listed, or
      // just before that if it is the deployed folder.
      const hook = join(machine.folder, 'remove.cjs');
      await writeFile(
        hook,
        `const fs = require('node:fs');
const [removed, isRoot] = ${JSON.stringify([join(machine.project, removed), removed === 'dist'])};
const remove = () => fs.rmSync(removed, { recursive: true, force: true });
const { readdir } = fs.promises;
fs.promises.readdir = async (...given) => {
  if (isRoot) remove();
  const entries = await readdir(...given);
  remove();
  return entries;
};`,
      );
      const printed = await machine.json(['deploy', 'dist'], { env: { NODE_OPTIONS: `--require=${hook}` } });
      expect(printed).toMatchObject({ exitCode: 6, code: 'folder_changed' });
    },
  );

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'exit code 130 means that the command was interrupted by %s',
    async (signal) => {
      await machine.run(['deploy']);
      const child = machine.start(['watch']);
      let said = '';
      child.stderr.on('data', (chunk: Buffer) => {
        const isNew = !said.includes('Watching');
        said += chunk;
        if (isNew && said.includes('Watching')) child.kill(signal);
      });
      expect(await new Promise((resolve) => child.once('close', resolve))).toBe(130);
    },
  );
});

describe('Ctrl-C', () => {
  /** Interrupts a command while it waits for a response, and returns its exit code and what it printed. */
  async function interrupt(words: readonly string[], waitsFor: RegExp, env: Record<string, string> = {}) {
    const proxy = await HoldingProxy.open(stele.port, waitsFor);
    try {
      const child = machine.start(words, { env: { STELE_INSTANCE: proxy.url, ...env } });
      let [out, err] = ['', ''];
      child.stdout.on('data', (chunk: Buffer) => {
        out += chunk;
      });
      child.stderr.on('data', (chunk: Buffer) => {
        err += chunk;
      });
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
      await proxy.held;
      child.kill('SIGINT');
      return { code: await ended, out, err };
    } finally {
      proxy.close();
    }
  }

  it.each([
    ['it reads the site', /^GET \/v1\/sites\/[^/]+$/],
    ['it reads the live files', /^GET \/v1\/sites\/[^/]+\/files/],
    ['the service checks the list of files', /^POST \/v1\/cli\/preflight/],
    ['it sends a file', /^(PUT|PATCH) \/v1\/uploads\//],
    ['the service publishes', /^PATCH \/v1\/deploy/],
  ])('a deploy exits with code 130 if it is interrupted while %s', async (_, waitsFor) => {
    const { token, bearer } = await signIn(stele, 'cli-interrupted-deploy@example.org');
    const { body: site } = await stele.api.post('/v1/deploy').set(bearer).type('html').send('before').expect(200);
    // If all files are in one folder, they are uploaded one by one and not in an archive.
    await machine.write('dist/inside/one.html', 'one');
    await machine.write('dist/inside/two.html', 'two');
    const { code, out, err } = await interrupt(['deploy', 'dist', '--site', site.slug], waitsFor, {
      STELE_TOKEN: token,
    });
    expect([code, out, err]).toEqual([130, '', expect.stringContaining('Interrupted.')]);
    expect((await stele.visit(site.slug)).text).toBe('before');
  });

  it('a deploy exits with code 130 if it is interrupted while it sends an archive', async () => {
    const { token, bearer } = await signIn(stele, 'cli-interrupted-archive@example.org');
    const { body: site } = await stele.api.post('/v1/deploy').set(bearer).type('html').send('before').expect(200);
    for (const name of ['index.html', 'a.bin']) await machine.write(`dist/${name}`, randomBytes(3.5 * MIB));
    const proxy = await CuttingProxy.open(stele.port);
    const held = proxy.sends(MIB).then(() => proxy.hold());
    const env = { STELE_INSTANCE: proxy.url, STELE_TOKEN: token };
    const child = machine.start(['deploy', 'dist', '--site', site.slug], { env });
    let err = '';
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk;
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    await held;
    child.kill('SIGINT');
    expect([await ended, err]).toEqual([130, expect.stringMatching(/^Sending +one archive[\s\S]*Interrupted\.$/m)]);
    proxy.close();
    expect((await stele.visit(site.slug)).text).toBe('before');
  }, 30_000);

  it.each([
    ['SIGINT', ['deploys', '--site', 'a-site']],
    ['SIGTERM', ['deploy']],
  ] as const)(
    '%s ends a command within seconds if the instance accepts connections and never responds',
    async (signal, words) => {
      const request = Promise.withResolvers<void>();
      const silent = createServer(() => request.resolve());
      await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
      const env = { STELE_INSTANCE: address(silent), STELE_TOKEN: 'stele_pat_x' };
      const child = machine.start(words, { env });
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
      await request.promise;
      const interrupted = performance.now();
      child.kill(signal);
      expect(await ended).toBe(130);
      expect(performance.now() - interrupted).toBeLessThan(4000);
      silent.closeAllConnections();
      silent.close();
    },
  );

  it('an interrupted first deploy exits with code 130, and prints a single JSON object with --json', async () => {
    const { code, out } = await interrupt(['deploy', '--json'], /^POST \/v1\/deploy/);
    expect([code, JSON.parse(out)]).toEqual([
      130,
      expect.objectContaining({ ok: false, code: 'interrupted', exitCode: 130 }),
    ]);
  });

  it.each([
    ['a sign-in by code', ['login', '--code'], /^POST \/v1\/auth\/cli\/exchange/, {}],
    ['a list', ['sites'], /^GET \/v1\/me\/sites/, { STELE_TOKEN: 'stele_pat_x' }],
  ])(
    'interrupting %s causes exit code 130',
    async (_, words, waitsFor, env) => {
      expect(await interrupt(words, waitsFor, env as Record<string, string>)).toMatchObject({ code: 130, out: '' });
    },
    30_000,
  );
});

describe('Credentials that cannot be stored', () => {
  it('a deploy whose credentials cannot be stored prints the address for claiming the site', async () => {
    const env = { XDG_CONFIG_HOME: '/dev/null' };
    const { code, out, err } = await machine.run(['deploy'], { env });
    expect([code, out]).toEqual([0, expect.stringMatching(/^LIVE/)]);
    expect(err).toContain('could not be stored');
    expect(err).toMatch(/Keep this address.*http/);
  });

  it('if the edit token of a new site cannot be stored, the site is not linked, and no command that needs the token is suggested', async () => {
    const env = { XDG_CONFIG_HOME: '/dev/null' };
    const { err } = await machine.run(['deploy'], { env });
    for (const words of ['stele claim', 'stele delete', 'stele.json', 'Undo']) expect(err).not.toContain(words);
    await expect(access(join(machine.project, 'stele.json'))).rejects.toThrow('ENOENT');
    expect(await machine.json(['deploy'], { env })).toMatchObject({ exitCode: 0, created: true, next: [] });
  });
});

describe('A result file that cannot be written', () => {
  it('a successful command does not fail if its result file cannot be written', async () => {
    const { code, err } = await machine.run(['deploy'], { env: { STELE_OUTPUT_FILE: '/dev/null/results' } });
    expect([code, err]).toEqual([0, expect.stringContaining('STELE_OUTPUT_FILE could not be written')]);
  });
});

describe('A damaged credentials file', () => {
  it('a damaged credentials file is never replaced', async () => {
    await machine.run(['instances', 'use', stele.base]);
    await writeFile(machine.credentials, '{ damaged');
    expect(await machine.json(['sites'])).toMatchObject({ exitCode: 1, code: 'credentials_damaged' });
    expect(await readFile(machine.credentials, 'utf8')).toBe('{ damaged');
  });
});
