import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** The bundled command, which users install. */
export const BUNDLE = resolve('clients/cli/dist/stele.cjs');

export type Ended = { readonly code: number | null; readonly out: string; readonly err: string };

/** What a command prints with `--json`, and its exit code. */
export type Printed = Readonly<Record<string, unknown>> & { readonly exitCode: number | null };

export type RunOptions = {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly node?: string;
};

/** Variables of the developer's shell, or of a CI job, that must not reach the command under test. */
const FOREIGN =
  /^(STELE_|CI$|GITHUB_|GITLAB_|FORGEJO_|GITEA_|NODE_OPTIONS$|HTTPS?_PROXY$|https?_proxy$|NO_COLOR$|FORCE_COLOR$|AI_AGENT$|CLAUDECODE$)/;

/** A simulated machine on which the command runs, with a project folder, credentials and a cache of its own. */
export class CommandLine {
  readonly folder: string;
  readonly instance: string;
  readonly env: Readonly<Record<string, string>>;

  private constructor(folder: string, instance: string) {
    this.folder = folder;
    this.instance = instance;
    const inherited = Object.entries(process.env).filter(([name]) => !FOREIGN.test(name)) as [string, string][];
    this.env = {
      ...Object.fromEntries(inherited),
      HOME: join(folder, 'home'),
      XDG_CONFIG_HOME: join(folder, 'config'),
      XDG_CACHE_HOME: join(folder, 'cache'),
      BROWSER: 'none',
    };
  }

  static async create(instance: string): Promise<CommandLine> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'stele-command-')));
    for (const name of ['project', 'home']) await mkdir(join(folder, name));
    return new CommandLine(folder, instance);
  }

  get project(): string {
    return join(this.folder, 'project');
  }

  get credentials(): string {
    return join(this.folder, 'config', 'stele', 'credentials.json');
  }

  async write(path: string, content: string | Uint8Array): Promise<void> {
    const file = join(this.project, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }

  /** Installs the command as `stele`, and returns environment variables with which a shell finds it. */
  async install(): Promise<Readonly<Record<string, string>>> {
    const command = `#!/bin/sh\nexec '${process.execPath}' '${BUNDLE}' "$@"\n`;
    await writeFile(join(this.folder, 'stele'), command, { mode: 0o755 });
    return { ...this.env, STELE_INSTANCE: this.instance, PATH: `${this.folder}:${this.env.PATH}` };
  }

  /** Starts the command for the test's instance, unless `env` names another one. */
  start(words: readonly string[], { env = {}, node = process.execPath }: RunOptions = {}) {
    return spawn(node, [BUNDLE, ...words], {
      cwd: this.project,
      env: { ...this.env, STELE_INSTANCE: this.instance, ...env },
    });
  }

  async run(words: readonly string[], options: RunOptions = {}): Promise<Ended> {
    const child = this.start(words, options);
    child.stdin.on('error', () => undefined).end(options.input ?? '');
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk;
    });
    const code = await new Promise<number | null>((ended) => child.once('close', ended));
    return { code, out, err };
  }

  /** Runs the command with `--json`, and returns the one object that it prints. */
  async json(words: readonly string[], options: RunOptions = {}): Promise<Printed> {
    const { code, out, err } = await this.run([...words, '--json'], options);
    const lines = out.split('\n').filter((line) => line !== '');
    if (lines.length !== 1) throw new Error(`Expected one line of JSON from stele ${words.join(' ')}:\n${out}\n${err}`);
    return { ...JSON.parse(lines[0] ?? ''), exitCode: code };
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}
