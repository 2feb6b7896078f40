import dns from 'node:dns/promises';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BuildLimits, Sandbox } from '../../../src/kernel/ports/outside/builder.js';
import { buildHosts } from '../../../src/sandbox/egress/hosts.js';
import type { Isolation } from '../../../src/sandbox/isolation.js';
import { SandboxBuilder } from '../../../src/sandbox/sandbox-builder.js';
import { reachablePlace } from '../../../src/sandbox/workspace/place.js';
import { readNames } from '../content/changing-folder.js';

const INSIDE_FILE = fileURLToPath(new URL('../../../dist/sandbox/inside/inside.js', import.meta.url));

export const LIMITS: BuildLimits = {
  memoryBytes: 268_435_456,
  processes: 64,
  diskBytes: 67_108_864,
  diskFiles: 2_000,
};

export type Ran = { readonly exitCode: number; readonly what: string | null; readonly limit: string | null } & Record<
  'stdout' | 'stderr',
  string
>;

/** A builder in an empty folder that has passed its self-test. */
export class BuilderUnderTest {
  readonly refused: string[] = [];

  private constructor(
    readonly builder: SandboxBuilder,
    readonly folder: string,
  ) {}

  static async open(...engines: [Isolation, ...Isolation[]]): Promise<BuilderUnderTest> {
    const folder = await mkdtemp(join(tmpdir(), 'stele-builder-'));
    await chmod(folder, 0o711);
    return BuilderUnderTest.on(join(folder, 'builds'), ...engines);
  }

  /** Opens a builder on an existing folder, as a restarted process does. */
  static async on(folder: string, ...engines: [Isolation, ...Isolation[]]): Promise<BuilderUnderTest> {
    const hosts = buildHosts(['registry.npmjs.org', 'inner.example'], []);
    const lookup = async (host: string) =>
      host === 'inner.example' ? ['127.0.0.1'] : (await dns.lookup(host, { all: true })).map(({ address }) => address);
    const builder = new SandboxBuilder(engines, { folder, hosts, lookup, insideFile: INSIDE_FILE });
    const under = new BuilderUnderTest(builder, folder);
    await builder.start(process.env, new AbortController().signal);
    const missing = await builder.tried();
    if (missing !== null) throw new Error(missing);
    return under;
  }

  sandbox(limits: Partial<BuildLimits> = {}): Promise<Sandbox> {
    return this.builder.open({ ...LIMITS, ...limits }, (host, why) => this.refused.push(`${host} ${why}`));
  }

  /** Returns the names of existing sandboxes. */
  async sandboxes(): Promise<readonly string[]> {
    const folder = join(await reachablePlace(this.folder), 'rooms');
    const processes = (await readNames(folder)).filter((name) => !name.endsWith('.sock'));
    return (await Promise.all(processes.map((name) => readNames(join(folder, name))))).flat();
  }

  /** Makes the builder look killed to other processes: its files remain, but it stops responding. */
  async fallSilent(): Promise<void> {
    const folder = join(await reachablePlace(this.folder), 'rooms');
    for (const name of await readdir(folder)) if (name.endsWith('.sock')) await rm(join(folder, name));
  }

  async mounts(): Promise<readonly string[]> {
    const place = await reachablePlace(this.folder);
    const mounts = (await readFile('/proc/self/mounts', 'utf8')).split('\n');
    return mounts.filter((line) => line.includes(place));
  }

  async close(): Promise<void> {
    await rm(await reachablePlace(this.folder), { recursive: true, force: true });
    await rm(join(this.folder, '..'), { recursive: true, force: true });
  }
}

export async function run(
  sandbox: Sandbox,
  script: string,
  { folder = '.', env = {} }: { readonly folder?: string; readonly env?: Record<string, string> } = {},
): Promise<Ran> {
  const said = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  const { exitCode, exceeded } = await sandbox.run(
    { script, folder, tools: [], env },
    async (stream, bytes) => void said[stream].push(Uint8Array.from(bytes)),
    AbortSignal.timeout(60_000),
  );
  const text = (pieces: Uint8Array[]) => Buffer.concat(pieces).toString('utf8');
  const { what = null, limit = null } = exceeded ?? {};
  return { exitCode, what, limit, stdout: text(said.stdout), stderr: text(said.stderr) };
}

/** Returns the command lines that contain `word`. */
export async function processesWith(word: string): Promise<readonly string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return lines.filter((line) => line.includes(word)).map((line) => line.replaceAll('\0', ' '));
}
