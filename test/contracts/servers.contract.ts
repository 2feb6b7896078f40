import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ask, ServersUnderTest, type StoredServer } from '../support/builds/servers-under-test.js';

export const server = (does: string) => `
const { createServer } = require('node:http');
const fs = require('node:fs');
const net = require('node:net');
const { spawn } = require('node:child_process');
console.log('begun as', process.env.NAME);
const reach = (options) => new Promise((resolve) => {
  const socket = net.connect({ timeout: 10000, ...options });
  socket.on('connect', () => resolve('reached')).on('error', (e) => resolve(e.code)).on('timeout', () => resolve('timeout'));
});
const handshake = (host, servername) => new Promise((resolve) => {
  const { hostname, port } = new URL(process.env.HTTPS_PROXY);
  require('node:http').request({ hostname, port, method: 'CONNECT', path: host }).on('connect', (_, socket) => {
    if (servername === 'plain') return socket.on('data', (bytes) => resolve(bytes.toString('hex'))).write('GET / HTTP/1.1\\r\\n\\r\\n');
    require('node:tls').connect({ socket, servername, rejectUnauthorized: false })
      .on('secureConnect', () => resolve('secure')).on('error', (e) => resolve(e.code));
  }).end();
});
const did = async (path) => { ${does} };
createServer(async (request, response) => {
  try { response.end(String(await did(request.url))); } catch (error) { response.end(String(error.code ?? error)); }
}).listen(process.env.PORT, () => console.log('listens'));
`;

const SERVER = server(`
  if (path === '/env') return JSON.stringify(process.env);
  if (path === '/write') { try { fs.writeFileSync('./written', 'x'); return 'written'; } catch (e) { return e.code; } }
  if (path === '/disk') { for (let n = 0; ; n++) fs.writeFileSync('/tmp/' + n, Buffer.alloc(1048576)); }
  if (path === '/processes') { let n = 0; return await new Promise((resolve) => { const more = () => {
    let child; try { child = spawn('sleep', ['60']); } catch (e) { return resolve(e.code); }
    child.on('error', (e) => resolve(e.code)); n++; if (n > 500) resolve('many'); else setImmediate(more); }; more(); }); }
  if (path === '/memory') { const kept = []; for (;;) kept.push(Buffer.alloc(16777216, 1)); }
  if (path.startsWith('/reach/')) { const [host, port] = path.slice(7).split('_'); return reach({ host, port: Number(port) }); }
  if (path === '/out') return await fetch('https://api.example.com/').then(() => 'reached', (e) => String(e.cause?.message ?? e));
  if (path.startsWith('/handshake/')) return handshake('public.example.com:443', path.slice(11));
  if (path === '/end') setImmediate(() => process.exit(3));
  if (path === '/seen') return ['/etc/shadow', '/root', '/work', '/var/lib', ...['/usr/local', '/usr/src', '/usr/etc'].flatMap((each) => fs.existsSync(each) ? fs.readdirSync(each).map((name) => each + '/' + name) : [])].filter((each) => { try { fs.readdirSync(each); return true; } catch (e) { return e.code === 'ENOTDIR'; } }).join();
  if (path === '/user') return process.getuid() + ' ' + fs.readFileSync('/proc/self/status', 'utf8').match(/CapEff:\\s*(\\S+)/)[1] + ' ' + fs.readFileSync('/proc/self/status', 'utf8').match(/NoNewPrivs:\\s*(\\S+)/)[1];
  return 'hello';
`);

export function serversContract(
  name: string,
  open: () => Promise<ServersUnderTest>,
  programOf: (server: string) => Promise<StoredServer>,
) {
  describe(name, () => {
    let under: ServersUnderTest;
    let program: StoredServer;
    beforeAll(async () => {
      under = await open();
      program = await programOf(SERVER);
    }, 120_000);
    afterEach(() => under.stop());
    afterAll(() => under?.close());

    it('a server responds on its socket, and receives its environment variables', async () => {
      const running = await under.start(program, { env: { NAME: 'ann' } });
      expect(await ask(running)).toBe('hello');
      expect(JSON.parse(await ask(running, '/env'))).toMatchObject({ NAME: 'ann', HOME: '/tmp' });
      await under.waitForOutput('begun as ann');
      expect(await running.memoryBytes()).toBeGreaterThan(1_000_000);
    }, 120_000);

    it('a server runs without privileges and can’t see this machine', async () => {
      const running = await under.start(program);
      expect(await ask(running, '/user')).toMatch(/^[1-9]\d* 0+ 1$/);
      expect(await ask(running, '/seen')).not.toMatch(/shadow|work|usr/);
      expect(await ask(running, '/write')).toBe('EROFS');
    }, 60_000);

    it('a server can’t reach the host machine, its gateways, the cloud metadata service or the internet', async () => {
      const listening = createServer().listen(0, '0.0.0.0');
      await once(listening, 'listening');
      const port = (listening.address() as { port: number }).port;
      const running = await under.start(program);
      for (const host of ['1.1.1.1', '169.254.169.254', '10.88.0.1', '10.0.2.2', '172.17.0.1', '127.0.0.1'])
        expect([host, await ask(running, `/reach/${host}_${port}`)]).toEqual([
          host,
          expect.stringMatching(/^(ENETUNREACH|ECONNREFUSED|EHOSTUNREACH)$/),
        ]);
      listening.close();
    }, 60_000);

    it('a server can’t reach an allowed host if the host’s name resolves to a private address', async () => {
      const running = await under.start(program, { hosts: ['api.example.com'] });
      await ask(running, '/out');
      expect(under.refused).toEqual(['api.example.com resolves to an address that is not public']);
    }, 60_000);

    it('a server can reach an allowed host only over TLS, with a handshake that names the host', async () => {
      const running = await under.start(program, { hosts: ['public.example.com'] });
      expect(await ask(running, '/handshake/public.example.com')).toBe('secure');
      expect(await ask(running, '/handshake/other.example.com')).toBe('ERR_SSL_TLSV1_ALERT_ACCESS_DENIED');
      expect(await ask(running, '/handshake/')).toBe('ERR_SSL_TLSV1_ALERT_ACCESS_DENIED');
      expect(await ask(running, '/handshake/plain')).toBe('15030300020231');
      expect(under.publicHost.asked).toEqual(['public.example.com']);
      expect(under.refused).toEqual([
        'public.example.com was requested, but the TLS ClientHello names other.example.com',
        'public.example.com was requested, but the TLS ClientHello names no host: the client must send SNI',
        'public.example.com was requested, but the client did not use TLS',
      ]);
    }, 60_000);

    it('the exit of a server is reported with its exit code', async () => {
      const running = await under.start(program);
      await ask(running, '/end');
      expect(await running.ended).toEqual({ exitCode: 3, exceeded: null });
    }, 60_000);

    it('a server that exceeds its memory limit is stopped', async () => {
      const running = await under.start(program);
      await ask(running);
      void ask(running, '/memory').catch(() => undefined);
      expect(await running.ended).toMatchObject({ exceeded: { what: 'memory', limit: '256 MiB' } });
    }, 60_000);

    it('a server’s writes and number of processes are limited', async () => {
      const running = await under.start(program);
      expect(await ask(running, '/disk')).toBe('ENOSPC');
      expect(await ask(running, '/processes')).toBe('EAGAIN');
    }, 60_000);

    it('a stopped server leaves nothing behind', async () => {
      const running = await under.start(program, { env: { NAME: `found-${process.pid}` } });
      await ask(running);
      await running.stop();
      expect(await running.ended).toMatchObject({ exceeded: null });
      const mounts = await readFile('/proc/self/mounts', 'utf8');
      expect(mounts).not.toContain('stele-programs-');
    }, 60_000);
  });
}
