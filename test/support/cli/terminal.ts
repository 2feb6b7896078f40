import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { CommandLine } from './stele-command.js';

const run = promisify(execFile);

/** A terminal of 100 columns for typing commands. Its screen can be read as text. */
export class Terminal {
  readonly #name: string;

  private constructor(name: string) {
    this.#name = name;
  }

  /** Opens a terminal with bash, or with another shell that shows the prompt `$ `. */
  static async open(machine: CommandLine, shell = ['bash', '--norc', '--noprofile', '-i']): Promise<Terminal> {
    const terminal = new Terminal(`stele-${process.pid}-${Math.random().toString(36).slice(2)}`);
    const env = Object.entries({ ...(await machine.install()), PS1: '$ ', TERM: 'screen', LANG: 'C.UTF-8' });
    await terminal.#tmux(
      ...['-u', 'new-session', '-d', '-x', '100', '-y', '40', '-c', machine.project],
      ...['env', '-i', ...env.map(([name, value]) => `${name}=${value}`), ...shell],
    );
    await terminal.see(/^\$ $/m);
    return terminal;
  }

  /** Types a line, and presses Enter. */
  async type(line: string): Promise<void> {
    await this.write(line);
    await this.press('Enter');
  }

  /** Types characters. */
  write(characters: string): Promise<unknown> {
    return this.#tmux('send-keys', '-l', characters);
  }

  /** Presses keys by their names, such as `Enter` or `C-c`. */
  press(...keys: string[]): Promise<unknown> {
    return this.#tmux('send-keys', ...keys);
  }

  /** Waits until the screen shows this, and returns the screen without empty lines at its end. */
  async see(expected: RegExp): Promise<string> {
    for (const end = Date.now() + 60_000; ; await delay(50)) {
      const { stdout } = await this.#tmux('capture-pane', '-p');
      const screen = stdout.trimEnd();
      if (expected.test(`${screen} `)) return screen;
      if (Date.now() > end) throw new Error(`The terminal does not show ${expected}:\n${screen}`);
    }
  }

  /** Returns the screen with the escape sequences of its colors. */
  async readColors(): Promise<string> {
    return (await this.#tmux('capture-pane', '-e', '-p')).stdout;
  }

  /** Writes everything that the terminal receives from now on to a file, even if it is overwritten on the screen. */
  record(file: string): Promise<unknown> {
    return this.#tmux('pipe-pane', `cat > '${file}'`);
  }

  close(): Promise<unknown> {
    return this.#tmux('kill-server').catch(() => undefined);
  }

  #tmux(...words: string[]) {
    return run('tmux', ['-L', this.#name, '-f', '/dev/null', ...words]);
  }
}

/** Replaces everything on a screen that differs between runs: names, IDs, codes, ports and durations. */
export const withoutChance = (screen: string) =>
  screen
    .replaceAll(/\b[a-z]+-[a-z]+-\d{4}\b/g, 'SITE')
    .replaceAll(/\brun_[0-9a-z]{26}\b/g, 'RUN')
    .replaceAll(/\bjob_[0-9a-z]{26}\b/g, 'JOB')
    .replaceAll(/(127\.0\.0\.1|localhost):\d+/g, 'HOST')
    .replaceAll(/\bin \d+(\.\d)? s\b/g, 'in N s')
    .replaceAll(/\b[0-9A-Z]{4}-[0-9A-Z]{4}\b/g, 'CODE')
    .replaceAll(/(?<=\/terminal\/)\S+/g, 'NAME');
