// needs: database, git, bubblewrap

import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { denied, deniedEverywhere, looked } from '../../src/sandbox/seccomp/system-calls.js';
import { extension, nodeClientHello, withExtensions } from '../support/hostile/client-hello.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';
import { GitHost } from '../support/sites/git-host.js';
import { eventsOf, jobOver, linesOf } from '../support/sites/jobs.js';

const processor = process.arch === 'arm64' ? 'arm64' : 'x64';
const { ioctl, socket, clone, clone3 } = looked[processor];
const SURVIVOR = `98765.${randomInt(1_000_000)}`;
const SHARED = `/dev/shm/stele-escape-${process.pid}`;
const ABSTRACT = `stele-escape-${process.pid}`;

const REGISTRY = 'registry.npmjs.org';
/** The TLS alert `access_denied`, which the registry never sends. */
const ALERT = '15030300020231';

/** Authorities of CONNECT requests that the proxy must refuse, because none of them is a build host on port 443. */
const authorities = [
  ...[
    '127.0.0.1:443',
    '127.1:443',
    '2130706433:443',
    '0x7f000001:443',
    '0177.0.0.1:443',
    '0.0.0.0:443',
    'localhost:443',
  ],
  ...['[::1]:443', '[::]:443', '[::ffff:127.0.0.1]:443', '::1:443', '[64:ff9b::7f00:1]:443', '[fe80::1%25lo]:443'],
  ...[
    '169.254.169.254:443',
    '169.254.169.254:80',
    '[fd00:ec2::254]:443',
    'metadata.google.internal:443',
    '10.0.0.1:443',
  ],
  ...[
    'registry.npmjs.org:80',
    'registry.npmjs.org:22',
    'registry.npmjs.org',
    'registry.npmjs.org:0443x',
    'registry.npmjs.org:443:443',
  ],
  ...['registry.npmjs.org.evil.example:443', 'registry.npmjs.org@127.0.0.1:443', '127.0.0.1@registry.npmjs.org:443'],
  ...[
    'registry.npmjs.org%00.evil.example:443',
    'xregistry.npmjs.org:443',
    'ｒegistry.npmjs.org:443',
    'registry。npmjs。org:443',
  ],
  ...[
    'registry.npmjs.org/:443',
    'registry.npmjs.org#:443',
    'registry.npmjs.org\\@127.0.0.1:443',
    ':443',
    'https://registry.npmjs.org:443',
  ],
];

type Said = Record<string, Record<string, string>> & {
  readonly handshakes: readonly string[];
  readonly seen: {
    readonly ofOperator: string[];
    readonly processes: string[];
    readonly environments: string[];
    readonly interfaces: string[];
    readonly mounts: string;
    readonly status: string;
  };
};

describe('A build that tries to leave its sandbox', () => {
  let host: GitHost;
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let said: Said;
  let lines: string[];
  let job: Awaited<ReturnType<typeof jobOver>>;
  let slug: string;
  let calls: (readonly (string | number)[])[];
  let reachedHost = 0;
  const neighbours = [createServer(() => reachedHost++), createServer(() => reachedHost++)] as const;

  beforeAll(async () => {
    host = await GitHost.open();
    temporary = await temporaryFolder('escapes');
    const hosts = 'registry.npmjs.org,registry.yarnpkg.com';
    const env = { STELE_REPO_HOSTS: host.listed, STELE_BUILDER: 'bubblewrap', STELE_BUILD_HOSTS: hosts };
    stele = await startStele({ folder: temporary.folder, env });
    const [network, local] = neighbours;
    await once(network.listen(0), 'listening');
    await once(local.listen({ path: `\0${ABSTRACT}` }), 'listening');
    writeFileSync(SHARED, 'of the host');

    const port = (network.address() as AddressInfo).port;
    const outer = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
    const anybody = { ...denied[processor], ...deniedEverywhere };
    calls = [
      ...Object.entries(anybody).map(([name, call]) => [name, call, 0, 0, 0, 0]),
      ['keyctl-session', anybody.keyctl, 0, -3, 0],
      ['ptrace-first', anybody.ptrace, 16, 1, 0, 0],
      ['read-of-first', anybody.process_vm_readv, 1, 0, 0, 0, 0],
      ['vsock', socket, 40, 1, 0],
      ['packets', socket, 17, 3, 768],
      ['kernel-crypto', socket, 38, 5, 0],
      ['user-namespace', clone, 0x1000_0011, 0, 0, 0, 0],
      ['mount-namespace', clone, 0x0002_0011, 0, 0, 0, 0],
      ['clone3', clone3, 0, 0],
      ['typing', ioctl, 0, 0x5412, 0],
      ['typing-high-bits', ioctl, 0, 0x1_0000_5412, 0],
    ];
    const own = await nodeClientHello({ servername: REGISTRY });
    const handshakes = [
      own,
      await nodeClientHello({ servername: 'example.org' }),
      await nodeClientHello({}),
      withExtensions(own, (extensions) => [...extensions, extension(0xfe0d, Buffer.alloc(80))]),
      Buffer.from('GET / HTTP/1.1\r\nhost: example.org\r\n\r\n'),
    ].map((bytes) => ({ host: REGISTRY, hex: bytes.toString('hex') }));
    const tries = {
      handshakes,
      survivor: SURVIVOR,
      read: [
        ...[
          '/etc/shadow',
          '/root/.bashrc',
          '/etc/hostname',
          '/proc/kcore',
          '/dev/mem',
          '/dev/kmsg',
          '/dev/kvm',
          SHARED,
        ],
        ...['secret.key', 'master.key', 'secret-key', 'postgres/data/PG_VERSION'].map((name) =>
          join(stele.folder, name),
        ),
        ...['/var/lib/stele-builds', '/sys/kernel/notes', '/run/secrets', '/proc/sys/kernel/cad_pid'],
      ],
      list: [stele.folder, '/root', '/var/lib', '/sys', '/tmp/stele-builds', '/dev/mapper', '/run/user'],
      write: [
        ...[
          '/usr/x',
          '/usr/local/x',
          '/usr/src/x',
          '/usr/bin/env',
          '/opt/tools/x',
          '/opt/tools/machine/inside.mjs',
          '/opt/tools/machine/bin/node',
        ],
        ...['/etc/passwd', '/etc/x', '/x', '/run/x', '/dev/x', '/proc/sysrq-trigger', '/proc/sys/kernel/core_pattern'],
        ...['/proc/sys/vm/drop_caches', '/sys/x', '/run/proxy.sock', '/proc/1/mem'],
      ],
      link: ['/opt/tools/machine/bin/node', '/usr/bin/env', '/run/proxy.sock', '/etc/passwd'],
      kill: [String(stele.child.pid), String(process.pid)],
      run: [
        ...['unshare --user true', 'unshare --mount true', 'unshare --net true', 'nsenter --target 1 --mount true'],
        ...[
          'mount -t tmpfs none /tmp',
          'mknod device c 1 1',
          'mknod device b 7 0',
          'chroot / true',
          'su -c id',
          'sudo -n id',
        ],
        ...['mount -o remount,rw /usr', 'umount /proc', 'setpriv --reuid=0 id', 'bwrap --bind / / true', 'swapoff -a'],
      ],
      connect: [
        ...['127.0.0.1', '::1', ...outer].flatMap((address) => [
          { host: address, port },
          { host: address, port: stele.port },
        ]),
        { host: '169.254.169.254', port: 80 },
        { host: '1.1.1.1', port: 443 },
        { path: `\0${ABSTRACT}` },
        { path: join(stele.folder, 'postgres/data/.s.PGSQL.5432') },
        { path: '/run/docker.sock' },
      ],
      proxy: [...authorities, `127.0.0.1:${stele.port}`, `127.0.0.1:${port}`, `localhost:${port}`],
      plain: [
        ...[`GET http://127.0.0.1:${stele.port}/health`, 'GET https://registry.npmjs.org/', 'POST /', 'OPTIONS *'],
        ...['GET /../../etc/passwd', `CONNECT /run/proxy.sock`, 'TRACE /', 'CONNECT'],
      ],
      call: calls,
    };
    host.commit('escapes', {
      'package.json': JSON.stringify({ private: true, scripts: { build: 'node escapes.mts' } }),
      'escapes.mts': await readFile('test/fixtures/builds/escapes.ts'),
      'tries.json': JSON.stringify(tries),
    });
    const { body } = await stele.api
      .post('/v1/repo/deploy')
      .send({ url: host.url('escapes') })
      .expect(200);
    job = await jobOver(stele, body.jobId);
    lines = linesOf(await eventsOf(stele, body.jobId)).map(({ text }) => text);
    slug = body.slug;
    if (job.status !== 'succeeded') throw new Error([JSON.stringify(job.error), ...lines].join('\n'));
    said = JSON.parse((await stele.visit(slug).expect(200)).text);
  }, 120_000);
  afterAll(async () => {
    await stele?.stop();
    await host.close();
    for (const neighbour of neighbours) neighbour.close();
    await rm(SHARED);
    await temporary.remove();
  });

  it.each(['read', 'list', 'write', 'link', 'kill', 'run', 'connect'])(
    'attempts to %s outside the sandbox fail',
    (group) => {
      expect(Object.keys(said[group] ?? {}).length).toBeGreaterThan(1);
      for (const [what, got] of Object.entries(said[group] ?? {}))
        expect([what, got]).toEqual([what, expect.stringMatching(/^no: /)]);
    },
  );

  it('no system call reaches outside the sandbox', () => {
    const other: Record<string, string> = { clone3: '38', vsock: '97', packets: '97', 'kernel-crypto': '97' };
    const wanted = Object.fromEntries(calls.map(([name = '']) => [name, other[name] ?? '1']));
    expect(said.call).toEqual(wanted);
  });

  it('through the proxy, a build can reach only the allowed hosts', () => {
    for (const [what, got] of Object.entries(said.proxy ?? {}))
      expect([what, got]).toEqual([what, expect.stringMatching(/^HTTP\/1\.1 40[03] |^$/)]);
    for (const [what, got] of Object.entries(said.plain ?? {}))
      expect([what, got]).toEqual([what, expect.stringMatching(/^HTTP\/1\.1 40[035] |^$/)]);
    expect(reachedHost).toBe(0);
  });

  it('a build can’t reach another host through the address of an allowed host', () => {
    const [first, ...others] = said.handshakes;
    expect(first).toMatch(/^160303/);
    expect(others).toEqual(others.map(() => ALERT));
    const hint =
      'Builds can only make HTTPS connections to the hosts that the operator has listed in STELE_BUILD_HOSTS.';
    for (const why of [
      'was requested, but the TLS ClientHello names example.org',
      'was requested, but the TLS ClientHello names no host: the client must send SNI',
      'was requested with Encrypted Client Hello, which must be turned off',
      'was requested, but the client did not use TLS',
    ])
      expect(lines).toContain(`Blocked a connection: ${REGISTRY} ${why}. ${hint}`);
  });

  it('the build can see its own processes but nothing else on the machine', () => {
    const { ofOperator, processes, environments, interfaces, mounts, status } = said.seen;
    expect(ofOperator).toEqual([]);
    expect(processes.length).toBeLessThan(10);
    expect(processes.join('\n')).not.toMatch(/postgres|dist\/main|jest/);
    expect(environments.join('\n')).not.toContain(stele.folder);
    expect(environments.join('\n')).not.toMatch(/STELE_(DATA|BUILDER|REPO_HOSTS)=/);
    expect(interfaces).toEqual(['lo']);
    expect(mounts).not.toMatch(/ \/ext\/| postgres/);
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    expect(status).toMatch(/^CapEff:\t0+$/m);
    expect(status).toMatch(/^CapBnd:\t0+$/m);
    expect(status).toMatch(/^Seccomp:\t2$/m);
  });

  it('no process of the build survives it', () => {
    const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    const named = all.filter((pid) => commandOf(pid).includes(SURVIVOR));
    expect(named.map(commandOf)).toEqual([]);
  });

  it('only regular files of the build output are published', async () => {
    for (const name of ['shadow', 'deep/environ', 'deep/up'])
      expect(lines).toContain(`Skipped ${name}: it is a symbolic link`);
    for (const name of ['pipe', 'socket']) expect(lines).toContain(`Skipped ${name}: it is not a regular file`);
    expect(lines).toContain('Skipped ?: its name is not valid UTF-8');
    const { body } = await stele.visit(slug, '/suid').expect(200);
    expect(Buffer.from(body).toString()).toBe('#!/bin/sh\nid\n');
    await stele.visit(slug, '/shadow').expect(404);
  });
});

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // The process has exited in the meantime.
    return '';
  }
}
