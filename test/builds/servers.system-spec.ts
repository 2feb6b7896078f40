// needs: database, git, bubblewrap

import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ServerSocket } from '../../src/sandbox/servers/server-socket.js';
import { server, serversContract } from '../contracts/servers.contract.js';
import { ask, outputOf, ServersUnderTest, stored, tarOf } from '../support/builds/servers-under-test.js';

serversContract(
  'A standalone output in bubblewrap',
  () => ServersUnderTest.open('bubblewrap'),
  (script) => outputOf(script),
);

describe('The standalone output of Next.js', () => {
  let under: ServersUnderTest;
  beforeAll(async () => {
    under = await ServersUnderTest.open('bubblewrap');
  });
  afterAll(() => under?.close());

  it('the server is found and started wherever Next.js puts it, even in a monorepo', async () => {
    const running = await under.start(await outputOf(server(`return process.cwd()`), 'apps/web'));
    expect(await ask(running)).toBe('/srv/program/apps/web');
  }, 60_000);

  it('the server can write to its Next.js cache', async () => {
    const running = await under.start(
      await outputOf(server(`fs.writeFileSync('.next/cache/x', 'kept'); return fs.readFileSync('.next/cache/x')`)),
    );
    expect(await ask(running)).toBe('kept');
  }, 60_000);

  it('output without a server is refused', async () => {
    await expect(under.start(stored('next', await tarOf({ 'index.html': 'x' })))).rejects.toThrow(
      'no server.js next to a .next folder',
    );
  });
});

describe('The socket of a server', () => {
  it('a link that replaces a server’s socket is not followed to another socket', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'stele-socket-'));
    await mkdir(join(folder, 'program'));
    const others = createServer().listen(join(folder, 'engine.sock'));
    const path = join(folder, 'program/http.sock');
    await symlink(join(folder, 'engine.sock'), path);
    const socket = new ServerSocket(path, join(folder, 'ours.sock'));
    expect(await socket.find()).toBeNull();
    await rm(path);
    const own = createServer((connection) => connection.end('own')).listen(path);
    const found = await socket.find();
    expect(found).toBe(join(folder, 'ours.sock'));
    own.close();
    others.close();
    await socket.close();
    await rm(folder, { recursive: true });
  });
});
