import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { create } from 'tar';
import type { RunningServer, ServerToRun } from '../../../src/kernel/ports/outside/server-runner.js';
import { SandboxedServerRunner } from '../../../src/sandbox/servers/sandboxed-server-runner.js';
import { SniServer } from '../dns/sni-server.js';
import { waitForOutput } from '../service/output.js';

const INSIDE = fileURLToPath(new URL('../../../dist/sandbox/inside', import.meta.url));

const LIMITS = { memoryBytes: 268_435_456, processes: 64, diskBytes: 33_554_432, cpus: 1 };

export type StoredServer = Pick<ServerToRun, 'kind' | 'digest' | 'content'>;

export const stored = (kind: ServerToRun['kind'], bytes: Buffer): StoredServer & { readonly bytes: Buffer } => ({
  kind,
  bytes,
  digest: createHash('sha256').update(bytes).digest('hex'),
  content: async function* () {
    yield bytes;
  },
});

/** Returns a tar of the files, the form in which a server is stored. */
export async function tarOf(files: Readonly<Record<string, string>>): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'stele-tar-'));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  const pieces: Buffer[] = [];
  for await (const piece of create({ cwd: folder, portable: true }, ['.'])) pieces.push(Buffer.from(piece));
  await rm(folder, { recursive: true });
  return Buffer.concat(pieces);
}

/** Returns Next.js standalone output with this script as its server. */
export const outputOf = async (server: string, folder = '.') =>
  stored('next', await tarOf({ [join(folder, 'server.js')]: server, [join(folder, '.next/BUILD_ID')]: 'x' }));

export class ServersUnderTest {
  readonly printed: string[] = [];
  readonly refused: string[] = [];
  readonly #running = new Set<RunningServer>();

  private constructor(
    readonly runner: SandboxedServerRunner,
    /** Server that receives the connections to the public address of `public.example.com`. */
    readonly publicHost: SniServer,
    private readonly folder: string,
  ) {}

  static async open(
    engine: 'bubblewrap' | 'container',
    env: NodeJS.ProcessEnv = process.env,
  ): Promise<ServersUnderTest> {
    const folder = await mkdtemp(join(tmpdir(), 'stele-programs-'));
    await chmod(folder, 0o711);
    const options = { folder: join(folder, 'builds'), engines: [engine], image: null, env, inside: INSIDE };
    const publicHost = await SniServer.start();
    // Resolves all other names to this machine, as the name server of an attacker could.
    const lookup = async (host: string) => [host === 'public.example.com' ? '93.184.215.14' : '127.0.0.1'];
    const runner = new SandboxedServerRunner({ ...options, lookup, connect: () => connect(publicHost.at) });
    return new ServersUnderTest(runner, publicHost, folder);
  }

  async start(
    program: StoredServer,
    {
      limits = {},
      ...wanted
    }: Partial<Omit<ServerToRun, 'limits'>> & {
      readonly limits?: Partial<ServerToRun['limits']>;
    } = {},
  ): Promise<RunningServer> {
    const running = await this.runner.start(
      {
        env: {},
        hosts: [],
        onOutput: async (_, bytes) => void this.printed.push(Buffer.from(bytes).toString('utf8')),
        onRefused: (host, why) => this.refused.push(`${host} ${why}`),
        ...wanted,
        ...program,
        limits: { ...LIMITS, ...limits },
      },
      AbortSignal.timeout(120_000),
    );
    this.#running.add(running);
    return running;
  }

  /** Waits for output, which may arrive after the response to which it belongs. */
  waitForOutput(text: string): Promise<void> {
    return waitForOutput(() => this.printed.join(''), text, 60_000);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#running].map((running) => running.stop()));
    this.#running.clear();
    this.refused.length = 0;
  }

  async close(): Promise<void> {
    await this.stop();
    await this.runner.close();
    await this.publicHost.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Returns the server's first response. Rejects if the server exits first. */
export async function ask(running: RunningServer, path = '/'): Promise<string> {
  let end: string | null = null;
  void running.ended.then(({ exitCode, exceeded }) => {
    end = `It ended with ${exitCode} ${exceeded?.what ?? ''}`;
  });
  for (;;) {
    if (end !== null) throw new Error(end);
    const socketPath = await running.socketPath();
    const answer = socketPath === null ? null : await get(socketPath, path).catch(() => null);
    if (answer !== null) return answer;
    await delay(20);
  }
}

async function get(socketPath: string, path: string): Promise<string> {
  const asked = request({ socketPath, path, agent: false }).end();
  const [answer] = await once(asked, 'response');
  return text(answer);
}
