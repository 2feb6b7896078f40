import { describe, expect, it } from '@jest/globals';
import { type KeptDependencies, Sandbox, type SandboxCommand } from '../../../kernel/ports/outside/builder.js';
import type { RepoCopy, RepoEntry } from '../../../kernel/ports/outside/repositories.js';
import { NoBuilder } from '../../../sandbox/no-builder.js';
import type { JobProgress } from '../job-progress.js';
import { cleanInstall } from './clean-install.js';

const NONE = { haveInstallScripts: false, dependOnFolders: false, areWorkspaces: false };

/**
 * A sandbox that records calls. `exits` contains the exit codes of the installation and of the search for install
 * scripts.
 */
class Recorded extends Sandbox {
  readonly ran: SandboxCommand[] = [];
  readonly written: RepoEntry[] = [];
  kept: KeptDependencies | null = null;
  isClosed = false;

  constructor(private readonly exits: { readonly install: number; readonly scripts: number }) {
    super();
  }

  override async run(command: SandboxCommand) {
    this.ran.push(command);
    const { install, scripts } = this.exits;
    return { exitCode: command.script.includes('grep') ? scripts : install, exceeded: null };
  }

  override async write(entries: readonly RepoEntry[]) {
    this.written.push(...entries);
    return [];
  }

  override async keepDependencies(_key: string, kept: KeptDependencies) {
    this.kept = kept;
  }

  override async close() {
    this.isClosed = true;
  }

  override restoreDependencies = async () => null;
  override canKeepDependencies = async () => true;
  override files = async () => null;
  override content = () => [] as never;
  override archive = () => [] as never;
}

const silent: JobProgress = { log: async () => undefined, step: async () => undefined, isLogFull: () => false };
const entries: readonly RepoEntry[] = [
  { path: 'package.json', kind: 'file', oid: '1'.repeat(40), size: 1, isExecutable: false },
];

async function installed(installCommand: string, { own = NONE, install = 0, scripts = 1 } = {}) {
  const sandbox = new Recorded({ install, scripts });
  class OneBuilder extends NoBuilder {
    override async open(): Promise<Sandbox> {
      return sandbox;
    }
  }
  const plan = {
    ...{ kind: 'static_build' as const, framework: null, packageManager: null, nodeVersion: null, installCommand },
    ...{ buildCommand: null, outputDirectory: null, rootDirectory: 'site' },
  };
  const secrets = new Map([['TOKEN', 'x']]);
  const of = {
    siteId: 'site_1',
    jobId: 'job_1',
    endedRights: 0,
    isTrusted: false,
    slug: 's',
    url: 'u',
    commit: 'c',
    secrets,
  };
  const didInstall = await cleanInstall(
    {
      source: { copy: {} as RepoCopy, plan, of },
      environment: { tools: [], unmet: null },
      builder: new OneBuilder('None here.'),
      limits: { memoryBytes: 1, processes: 1, diskBytes: 1, diskFiles: 1 },
      own,
    },
    { key: 'a'.repeat(64), entries },
    silent,
    new AbortController().signal,
  );
  expect(sandbox.isClosed).toBe(true);
  return { sandbox, didInstall };
}

describe('cleanInstall', () => {
  it('gives the sandbox only the given files, and the same environment for every commit', async () => {
    const { sandbox } = await installed('npm ci');
    expect(sandbox.written).toEqual(entries);
    const [{ script, folder, env } = {}] = sandbox.ran;
    expect({ script, folder }).toEqual({ script: 'npm ci --ignore-scripts', folder: 'site' });
    expect(env).toMatchObject({ CI: 'true', TOKEN: 'x' });
    expect(Object.keys(env ?? {}).filter((name) => name.startsWith('STELE_'))).toEqual([]);
  });

  const PNPM = 'pnpm install --frozen-lockfile';
  const withScripts = { own: { ...NONE, haveInstallScripts: true } };
  const withWorkspaces = { own: { ...NONE, areWorkspaces: true } };
  it.each([
    ['packages with npm', 'npm ci', {}, 'packages', false],
    ['packages with npm if dependencies have scripts', 'npm ci', { scripts: 0 }, 'packages', true],
    ['downloads with npm if the project has scripts', 'npm ci', withScripts, 'downloads', true],
    ['downloads with npm in workspaces', 'npm ci', withWorkspaces, 'downloads', false],
    ['packages with pnpm', PNPM, {}, 'packages', false],
    ['downloads with pnpm if dependencies have scripts', PNPM, { scripts: 0 }, 'downloads', true],
    ['downloads with Yarn 2 or later', 'yarn install --immutable', {}, 'downloads', false],
    ['packages as if they had scripts if it cannot tell', 'npm ci', { scripts: 2 }, 'packages', true],
  ] as const)('stores %s after a clean installation', async (_, command, how, kind, haveInstallScripts) => {
    const { sandbox, didInstall } = await installed(command, how);
    expect(didInstall).toBe(true);
    expect(sandbox.kept).toEqual({ jobId: 'job_1', kind, haveInstallScripts });
  });

  it('stores nothing if the installation fails', async () => {
    const { sandbox, didInstall } = await installed('npm ci', { install: 1 });
    expect([didInstall, sandbox.kept]).toEqual([false, null]);
  });
});
