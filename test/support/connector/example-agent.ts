import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export type Language = 'mjs' | 'py' | 'sh';

export const languages: readonly Language[] = ['mjs', 'py', 'sh'];

const programs: Record<Language, string> = { mjs: process.execPath, py: 'python3', sh: 'sh' };

/** Matches the `work` function of each example, which users replace. */
const work: Record<Language, RegExp> = {
  mjs: /^async function work\(.*?^\}$/ms,
  py: /^def work\(.*?(?=^# ----)/ms,
  sh: /^work\(\) \{.*?^\}$/ms,
};

/** An agent of `examples/`, running in an empty folder. */
export class ExampleAgent {
  #printed = '';
  /** Resolves after the last output has arrived. */
  readonly #exited: Promise<number | string | null>;

  private constructor(
    private readonly child: ChildProcess,
    readonly folder: string,
  ) {
    const hear = (text: string) => {
      this.#printed += text;
    };
    child.stdout?.setEncoding('utf8').on('data', hear);
    child.stderr?.setEncoding('utf8').on('data', hear);
    this.#exited = once(child, 'close').then(([code, by]) => (code ?? by) as number | string | null);
  }

  /** Starts the example. If `own` is given, it replaces the example's `work` function. */
  static async start(language: Language, url: string, token: string, own?: string): Promise<ExampleAgent> {
    const folder = await mkdtemp(join(tmpdir(), 'stele-agent-'));
    const example = resolve(`examples/agent.${language}`);
    const file = own === undefined ? example : join(folder, `agent.${language}`);
    if (own !== undefined) {
      const text = await readFile(example, 'utf8');
      const changed = text.replace(work[language], () => `${own}\n`);
      if (changed === text) throw new Error(`There is no function "work" in ${example}.`);
      await writeFile(file, changed);
    }
    const child = spawn(programs[language], [file], {
      cwd: folder,
      env: { ...process.env, NODE_OPTIONS: '', PYTHONUNBUFFERED: '1', STELE_URL: url, STELE_CONNECTOR_TOKEN: token },
      stdio: ['ignore', 'pipe', 'pipe'],
      // The agent needs its own process group: killing only the shell would leave its curl running, which would keep
      // taking work.
      detached: true,
    });
    return new ExampleAgent(child, folder);
  }

  printed = () => this.#printed;

  /** Returns the files in the agent's folder, except the example itself. */
  left = async () => (await readdir(this.folder)).filter((name) => !/^agent\.\w+$/.test(name));

  ended = () => this.#exited;

  tell = (signal: NodeJS.Signals) => void this.child.kill(signal);

  async stop(): Promise<void> {
    try {
      process.kill(-(this.child.pid ?? 0), 'SIGKILL');
    } catch {
      // The whole group has already exited.
    }
    await this.#exited;
    await rm(this.folder, { recursive: true, force: true });
  }
}
