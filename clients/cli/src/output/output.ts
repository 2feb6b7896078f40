import { appendFileSync } from 'node:fs';
import { styleText } from 'node:util';
import { describeFailure, type Failure } from '../command-line/failure.js';
import { harmless, oneLine } from './table.js';

export type OutputOptions = {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly color: boolean;
  /** A file to which every result is also appended, as a line of JSON. */
  readonly file?: string | undefined;
};

export type Result = {
  /** The fields of the JSON object, beside `ok` and `command`. They never contain tokens. */
  readonly json: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** The one value that a script needs most, usually a URL. Printed with `--quiet`. */
  readonly quiet: string;
};

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/**
 * Writes results to standard output and everything else to standard error. With `--json`, standard output receives
 * exactly one object.
 */
export class Output {
  readonly options: OutputOptions;
  /** Whether there is a user who can answer questions. */
  readonly isInteractive: boolean;
  /** Whether a line on standard error can be redrawn, which a progress bar requires. */
  readonly isLive: boolean;
  command = '';
  #hasResult = false;
  #isFileBroken = false;

  constructor(options: OutputOptions, { isCi = false } = {}) {
    this.options = options;
    const isTerminal = process.stderr.isTTY === true && process.env.TERM !== 'dumb' && !isCi;
    this.isLive = isTerminal && !options.quiet;
    this.isInteractive = isTerminal && process.stdin.isTTY === true && !options.json;
  }

  /** Writes the result of the command. Must not be called twice. */
  result({ json, text, quiet }: Result): void {
    this.#hasResult = true;
    const object = { ok: true, command: this.command, ...json };
    this.#append(object);
    if (this.options.json) process.stdout.write(`${JSON.stringify(object)}\n`);
    else if (this.options.quiet) process.stdout.write(quiet === '' ? '' : `${harmless(quiet)}\n`);
    else process.stdout.write(text === '' ? '' : `${harmless(text)}\n`);
  }

  /** Writes one of many results: a line of JSON, or text. If `text` is null, writes nothing unless JSON was asked for. */
  line(object: unknown, text: string | null): void {
    this.#append(object);
    if (this.options.json) process.stdout.write(`${JSON.stringify(object)}\n`);
    else if (text !== null) process.stdout.write(`${harmless(text)}\n`);
  }

  failure({ message, problem, next, exitCode }: Failure): void {
    const object = { ok: false, command: this.command, ...problem, exitCode, next };
    this.#append(object);
    if (this.options.json && !this.#hasResult) process.stdout.write(`${JSON.stringify(object)}\n`);
    const lines = [
      `${this.paint('red', 'Error:')} ${message.split('\n').map(oneLine).join('\n')}`,
      ...next.map(({ command, when }) => `  ${this.paint('cyan', oneLine(command))}  ${this.paint('dim', when)}`),
    ];
    if (!this.options.json) process.stderr.write(`${lines.join('\n')}\n`);
  }

  /** Writes a line about the progress of the command to standard error, unless `--quiet` was given. */
  note(text: string): void {
    if (!this.options.quiet) process.stderr.write(`${harmless(text)}\n`);
  }

  warn(text: string): void {
    process.stderr.write(`${this.paint('yellow', 'Warning:')} ${harmless(text)}\n`);
  }

  paint(style: Style, text: string): string {
    return this.options.color ? styleText(style, text, { validateStream: false }) : text;
  }

  #append(object: unknown): void {
    const { file } = this.options;
    if (!file || this.#isFileBroken) return;
    try {
      appendFileSync(file, `${JSON.stringify(object)}\n`);
    } catch (error) {
      // Only warn, and only once, because the command does its work even if this file cannot be written.
      this.#isFileBroken = true;
      this.warn(`STELE_OUTPUT_FILE could not be written. ${describeFailure(error).problem.detail}`);
    }
  }
}
