import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { KeptDependencies, Sandbox } from '../../src/kernel/ports/outside/builder.js';
import type { RepoEntry } from '../../src/kernel/ports/outside/repositories.js';
import type { Isolation } from '../../src/sandbox/isolation.js';
import { BuilderUnderTest, processesWith, run } from '../support/builds/builder-under-test.js';

/** A command that runs longer than any test. The number makes its command line unique. */
const forever = () => `sleep ${randomInt(1_000_000_000, 2_000_000_000)}`;

/** Variables that every command has (docs/interface/repositories.md, “Builds”). */
const ALWAYS = [
  ...['HOME', 'LANG', 'PATH', 'TERM', 'TMPDIR', 'NODE_USE_ENV_PROXY', 'NO_PROXY', 'no_proxy'],
  ...['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'npm_config_https_proxy', 'YARN_HTTPS_PROXY'],
];
/** Variables that exist only with certain settings of this machine, or in certain shells. */
const SOMETIMES = ['NODE_EXTRA_CA_CERTS', 'npm_config_cafile', 'SSL_CERT_FILE', 'npm_config_registry'];
const OF_SHELL = ['PWD', 'OLDPWD', 'SHLVL', '_'];

/** Defines the tests that every builder must pass. They need a build of the service. */
export function builderContract(engine: string, isolation: () => Isolation) {
  describe(`${engine} as a builder`, () => {
    let under: BuilderUnderTest;
    let sandbox: Sandbox;

    beforeAll(async () => {
      under = await BuilderUnderTest.open(isolation());
    }, 120_000);
    afterAll(() => under?.close());
    beforeEach(async () => {
      sandbox = await under.sandbox();
    });
    afterEach(() => sandbox.close());

    const said = async (script: string) => (await run(sandbox, script)).stdout;
    const entry = (path: string, more: Partial<RepoEntry> = {}): RepoEntry => ({
      path,
      kind: 'file',
      oid: path,
      size: path.length,
      isExecutable: false,
      ...more,
    });
    const write = (...entries: RepoEntry[]) =>
      sandbox.write(entries, async function* ({ path }) {
        yield Buffer.from(path ?? '');
      });

    describe('commands in a sandbox', () => {
      it.each([
        ['true', 0],
        ['exit 3', 3],
        ['no-such-command', 127],
        ['kill -9 $$', 137],
      ])('%j has the same exit code as in a shell', async (script, exitCode) =>
        expect(await run(sandbox, script)).toMatchObject({ exitCode, what: null }),
      );

      it('a command’s output to stdout and stderr is complete and in order', async () => {
        const script = 'seq 1 300000; echo "no such module" >&2; cat /etc/passwd | cut -d: -f1';
        const { stdout, stderr } = await run(sandbox, script);
        const lines = stdout.trimEnd().split('\n');
        expect(lines.slice(0, -1).every((line, n) => line === String(n + 1))).toBe(true);
        expect(lines.length).toBe(300_001);
        expect(lines.at(-1)).toBe('build');
        expect(stderr).toBe('no such module\n');
      });

      it('a command gets the requested environment variables and a fixed set of default ones', async () => {
        process.env.STELE_TEST_MARK = 'of the machine';
        const env = { GIVEN: 'a "word"', LINES: 'one\ntwo', UMLAUT: 'ü', EMPTY: '' };
        const { stdout } = await run(sandbox, 'node -p "JSON.stringify(process.env)"', { env });
        const all = JSON.parse(stdout);
        expect(all).toMatchObject(env);
        const rest = Object.keys(all).filter((name) => ![...SOMETIMES, ...OF_SHELL].includes(name));
        expect(rest.sort()).toEqual([...ALWAYS, ...Object.keys(env)].sort());
        const everybodys = await run(sandbox, 'cat /proc/*/environ /proc/*/cmdline | tr "\\0" "\\n"', { env });
        expect(everybodys.stdout).not.toContain('of the machine');
        expect(everybodys.stdout).not.toContain(under.folder);
      });

      it('a command runs in its folder without privileges, and can change only its own files', async () => {
        await write(entry('packages/a/package.json'));
        expect((await run(sandbox, 'pwd; ls', { folder: 'packages/a' })).stdout).toBe(
          '/workspace/packages/a\npackage.json\n',
        );
        const script = `id -u; grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status | tr -d '\\t'
          for path in / /usr /usr/bin /etc /opt/tools /opt/tools/machine/bin /run /proc/sys/kernel /sys/fs/cgroup; do
            touch $path/new 2>/dev/null && echo "$path/new"
          done
          for path in /workspace /tmp /var/tmp /dev/shm $HOME; do touch $path/new && echo "$path"; done`;
        const lines = (await said(script)).trimEnd().split('\n');
        expect(Number(lines[0])).toBeGreaterThan(0);
        expect(lines.slice(1)).toEqual([
          ...['CapEff:0000000000000000', 'CapBnd:0000000000000000', 'NoNewPrivs:1', 'Seccomp:2'],
          ...['/workspace', '/tmp', '/var/tmp', '/dev/shm', '/home/build'],
        ]);
      });

      it('a command sees the files of earlier commands in its sandbox, but no files of other sandboxes', async () => {
        await run(sandbox, 'echo kept > out.txt; echo kept > /tmp/out.txt');
        expect(await said('cat out.txt /tmp/out.txt')).toBe('kept\nkept\n');
        const other = await under.sandbox();
        expect((await run(other, 'ls -A . /tmp')).stdout).toBe('.:\n\n/tmp:\n');
        await other.close();
      });
    });

    describe('network access from a sandbox', () => {
      it('a sandbox has no network except the proxy, which refuses unlisted hosts', async () => {
        const listener = createServer((socket) => socket.end('inside')).listen(0, '0.0.0.0');
        await once(listener, 'listening');
        const { port } = listener.address() as { port: number };
        const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
        const addresses = own.filter(({ family }) => family === 'IPv4').map(({ address }) => `${address}:${port}`);
        const script = `const { connect } = require('node:net');
          for (const to of ${JSON.stringify([...addresses, '169.254.169.254:80'])}) {
            const [host, port] = to.split(':');
            const socket = connect({ host, port: Number(port), timeout: 10000 });
            for (const end of ['error', 'timeout', 'connect']) socket.on(end, () => { console.log(end); socket.destroy(); });
          }`;
        const ends = (await said(`node -e '${script.replaceAll("'", '"')}'`)).trimEnd().split('\n');
        expect(ends).toEqual([...addresses, 'metadata'].map(() => 'error'));
        listener.close();
      });

      it('the proxy connects only to listed hosts', async () => {
        const ask = (host: string) =>
          `node -e 'const s = require("node:net").connect(3128); s.write("CONNECT ${host}:443 HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n"); s.pipe(process.stdout)'`;
        const stdout = await said(`${ask('example.org')}; ${ask('inner.example')}`);
        expect(under.refused).toEqual(['example.org is not one of the allowed hosts']);
        // Nothing listens at this address, so the 502 proves that the proxy tried to connect.
        expect(stdout).toMatch(/^HTTP\/1\.1 403[\s\S]*HTTP\/1\.1 502/);
      });

      it('clients that use the proxy without a tunnel can reach only the listed hosts', async () => {
        // Sends the full URL to the proxy, as axios did before version 1.8.
        const script = `
          const { request } = require('node:http');
          const get = (url) => new Promise((resolve) => request({ host: '127.0.0.1', port: 3128, path: url, headers: { host: new URL(url).host } },
            (response) => { response.resume(); resolve(response.statusCode); }).on('error', (error) => resolve(error.message)).end());
          (async () => console.log(await get('https://registry.npmjs.org/left-pad/1.3.0'), await get('https://example.org/'), await get('http://example.org/')))();`;
        expect((await said(`node -e "${script.replaceAll('"', '\\"')}"`)).trim()).toBe('200 403 405');
      });
    });

    describe('limits of a build', () => {
      it('exceeding the memory limit stops the command and is reported', async () => {
        const script = 'node -e "const all = []; for (;;) all.push(Buffer.alloc(16_000_000, 1))"';
        const { exitCode, what, limit } = await run(sandbox, script);
        expect({ what, limit }).toEqual({ what: 'memory', limit: '256 MiB' });
        expect(exitCode).not.toBe(0);
      });

      it('the process limit is enforced, and exceeding it is reported', async () => {
        const script = `for n in $(seq 200); do ${forever()} & done; exit 1`;
        expect(await run(sandbox, script)).toMatchObject({ what: 'processes', limit: '64' });
      });

      it('the disk space limit is enforced, and exceeding it is reported', async () => {
        const { exitCode, what, limit } = await run(
          sandbox,
          'for n in $(seq 9); do head -c 16M /dev/zero > $n || exit 1; done',
        );
        expect({ exitCode, what, limit }).toEqual({ exitCode: 1, what: 'disk', limit: '64 MiB' });
      });

      it('the file limit is enforced, and exceeding it is reported', async () => {
        const script = 'for n in $(seq 3000); do : > $n || exit 1; done';
        expect(await run(sandbox, script)).toMatchObject({ what: 'files', limit: '2,000' });
      });
    });

    describe('stopping a build', () => {
      it('child processes are stopped when their command ends', async () => {
        const sleeping = forever();
        expect(await run(sandbox, `setsid ${sleeping} & (${sleeping} &) ; exit 0`)).toMatchObject({ exitCode: 0 });
        expect(await processesWith(sleeping.replace(' ', '\0'))).toEqual([]);
      });

      it('aborting stops a command and its child processes within five seconds', async () => {
        const stopped = async () => {
          const sleeping = forever();
          const ending = new AbortController();
          let aborted = 0;
          const listen = async (_: string, bytes: Uint8Array) => {
            if (!Buffer.from(bytes).includes('ready')) return;
            aborted = performance.now();
            ending.abort(new Error('It was stopped.'));
          };
          const script = `trap '' TERM INT; setsid ${sleeping} & (setsid ${sleeping} &); echo ready; ${sleeping}`;
          const command = { script, folder: '.', tools: [], env: {} };
          await expect(sandbox.run(command, listen, ending.signal)).rejects.toThrow('It was stopped.');
          const took = performance.now() - aborted;
          expect(await processesWith(sleeping.replace(' ', '\0'))).toEqual([]);
          return took;
        };
        let took = await stopped();
        // Retries, because a single stop may be slow on a busy machine.
        for (let n = 0; n < 2 && took >= 5_000; n++) took = await stopped();
        expect(took).toBeLessThan(5_000);
        expect(await said('echo and goes on')).toBe('and goes on\n');
      }, 60_000);

      it('a command does not start if it was already aborted', async () => {
        const command = { script: 'true', folder: '.', tools: [], env: {} };
        const before = AbortSignal.abort(new Error('It was stopped.'));
        await expect(sandbox.run(command, async () => undefined, before)).rejects.toThrow('It was stopped.');
      });

      it('a closed sandbox leaves nothing behind', async () => {
        const sleeping = forever();
        const other = await under.sandbox();
        const [before, mountsBefore] = [await under.sandboxes(), await under.mounts()];
        const running = run(other, sleeping).catch((error: Error) => error);
        await other.close();
        await running;
        await other.close();
        expect((await under.sandboxes()).length).toBe(before.length - 1);
        expect((await under.mounts()).length).toBeLessThanOrEqual(mountsBefore.length);
        expect(await processesWith(sleeping.replace(' ', '\0'))).toEqual([]);
      });
    });

    describe('the work tree of a build', () => {
      it('the work tree contains the files of a commit, and built files are returned', async () => {
        const leftOut = await write(entry('src/page.txt'), entry('make.sh', { isExecutable: true }));
        expect(leftOut).toEqual([]);
        const script = `test -x make.sh && mkdir -p dist/sub && cp src/page.txt dist/sub/ && printf '\\377' > dist/bytes
          ln -s /etc/passwd dist/link; ln -s sub dist/folder; mkfifo dist/pipe; touch "$(printf 'dist/\\377')"`;
        expect(await run(sandbox, script)).toMatchObject({ exitCode: 0, stderr: '' });
        const files = (await sandbox.files('dist'))?.map(({ path, kind, size }) => `${path} ${kind} ${size}`).sort();
        expect(files).toEqual([
          'bytes file 1',
          'folder link 0',
          'link link 0',
          'null other 0',
          'pipe other 0',
          'sub/page.txt file 12',
        ]);
        expect(await text(sandbox.content('dist', 'sub/page.txt'))).toBe('src/page.txt');
        await expect(text(sandbox.content('dist', 'link'))).rejects.toThrow();
        await expect(text(sandbox.content('dist', 'pipe'))).rejects.toThrow();
      });

      it('a file, a link or a missing path is not returned as a folder', async () => {
        await run(sandbox, 'echo > file; ln -s /etc etc; mkdir real; ln -s real linked');
        const shown = ['file', 'etc', 'linked', 'none', '..', 'real/..'].map((folder) => sandbox.files(folder));
        expect(await Promise.all(shown)).toEqual([null, null, null, null, null, null]);
        expect(await sandbox.files('real')).toEqual([]);
      });
    });

    describe('dependencies and package managers', () => {
      const key = 'ab'.repeat(32);
      const kept: KeptDependencies = { jobId: 'job_1', kind: 'packages', haveInstallScripts: false };

      it('cached dependencies are restored only by their exact key, and commands can’t see other cache entries', async () => {
        const script = `mkdir -p node_modules/.bin packages/a/node_modules/b && echo b > packages/a/node_modules/b/index.js
          ln -s ../b node_modules/.bin/b; echo page > page.txt`;
        await run(sandbox, script);
        await sandbox.keepDependencies(key, kept, AbortSignal.timeout(30_000));
        const later = await under.sandbox();
        expect(await later.restoreDependencies('cd'.repeat(32), AbortSignal.timeout(30_000))).toBeNull();
        expect(await later.restoreDependencies(key, AbortSignal.timeout(30_000))).toEqual(kept);
        const found = await run(
          later,
          'ls; cat packages/a/node_modules/b/index.js; readlink node_modules/.bin/b; ls /cache',
        );
        expect(found.stdout).toBe('node_modules\npackages\nb\n../b\n');
        await later.close();
      });

      it('the cache of downloads contains no installed packages, and symbolic links in it are not followed', async () => {
        const downloads: KeptDependencies = { jobId: 'job_1', kind: 'downloads', haveInstallScripts: true };
        const script = `mkdir -p node_modules/a ~/.npm/_cacache ~/.npm/_logs .pnpm-store packages/a/.yarn/cache
          echo npm > ~/.npm/_cacache/npm; echo log > ~/.npm/_logs/log; echo pnpm > .pnpm-store/pnpm
          ln -s /etc/passwd packages/a/.yarn/cache/link`;
        await run(sandbox, script);
        await sandbox.keepDependencies('ef'.repeat(32), downloads, AbortSignal.timeout(30_000));
        const later = await under.sandbox();
        expect(await later.restoreDependencies('ef'.repeat(32), AbortSignal.timeout(30_000))).toEqual(downloads);
        const found = await run(
          later,
          'find . ~/.npm -type f; readlink packages/a/.yarn/cache/link; ls -d node_modules',
        );
        expect(found.stdout.trim().split('\n').sort()).toEqual([
          './.pnpm-store/pnpm',
          '/etc/passwd',
          '/home/build/.npm/_cacache/npm',
        ]);
        await later.close();
      });

      it('a build can use the requested version of a package manager, and its provenance lists that version', async () => {
        const tool = { name: 'yarn', version: '1.22.22' } as const;
        const provided = await under.builder.provide(tool, 'user:usr_1', AbortSignal.timeout(60_000));
        if (typeof provided === 'string') throw new Error(provided);
        const command = { script: 'yarn --version', folder: '.', tools: [tool], env: {} };
        const version: string[] = [];
        const listen = async (_: string, bytes: Uint8Array) => void version.push(Buffer.from(bytes).toString());
        await sandbox.run(command, listen, AbortSignal.timeout(30_000));
        expect(version.join('')).toBe('1.22.22\n');
        const sha = (digits: number) => expect.stringMatching(`^[0-9a-f]{${digits}}$`);
        expect(await under.builder.describe([tool])).toEqual([
          { name: 'yarn', uri: 'pkg:npm/yarn@1.22.22', digest: { sha512: sha(128) } },
          { name: 'node', uri: `pkg:generic/node@${process.versions.node}`, digest: { sha256: sha(64) } },
          { name: 'npm', uri: expect.stringMatching(/^pkg:npm\/npm@\d/), digest: null },
        ]);
        const none = { name: 'yarn', version: '1.0.999999' } as const;
        expect(await under.builder.provide(none, 'user:usr_1', AbortSignal.timeout(60_000))).toBe('unavailable');
        await provided.release();
      }, 120_000);
    });

    it('a new process stops commands that a killed process left running', async () => {
      const sleeping = forever();
      const left = await under.sandbox();
      const begun = Promise.withResolvers<void>();
      const command = { script: `echo ready; setsid ${sleeping} & ${sleeping}`, folder: '.', tools: [], env: {} };
      const running = left
        .run(command, async () => begun.resolve(), AbortSignal.timeout(60_000))
        .catch((error: Error) => error);
      await begun.promise;
      // Starting a new builder must not stop processes of a builder that is still running.
      await BuilderUnderTest.on(under.folder, isolation());
      expect(await processesWith(sleeping.replace(' ', '\0'))).not.toEqual([]);

      await under.fallSilent();
      const next = await BuilderUnderTest.on(under.folder, isolation());
      await running;
      expect(await processesWith(sleeping.replace(' ', '\0'))).toEqual([]);
      expect(await next.sandboxes()).toEqual([]);
      expect(await next.mounts()).toEqual([]);
      // An open listener would keep Jest running.
      await left.close();
    }, 60_000);
  });
}
