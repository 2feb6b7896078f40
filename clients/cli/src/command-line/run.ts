import { CommanderError } from 'commander';
import { isCi } from '../credentials/ci-identity.js';
import { mentionNewerCommand } from '../network/newer-command.js';
import { annotateFailure } from '../output/ci-report.js';
import { Output } from '../output/output.js';
import { quote } from '../output/quote.js';
import type { Command, StartSession } from './command.js';
import { InterruptedError, type NextStep, UsageError } from './errors.js';
import { EXIT_CODES, type ExitCode } from './exit-codes.js';
import { describeFailure } from './failure.js';
import { createProgram } from './program.js';
import { type GlobalOptions, Session } from './session.js';

/** Runs one command and returns its exit code. Never rejects. */
export async function runCommandLine(words: readonly string[]): Promise<ExitCode> {
  const interrupted = listenForInterruption();
  ignoreClosedOutput();
  replaceUnknownSize();
  // Parsing itself can fail, so the output format is first read from the unparsed arguments.
  let output = createOutput({ json: words.includes('--json'), quiet: words.includes('--quiet') });
  output.command = words.find((word) => !word.startsWith('-')) ?? '';
  let session: Session | undefined;
  let command: Command | undefined;
  const start: StartSession = (options, name, started) => {
    output = createOutput(options);
    output.command = name;
    command = started;
    session = new Session(options, output, interrupted);
    return session;
  };
  const program = createProgram(start, words.includes('--json'));
  try {
    await Promise.race([program.parseAsync(words, { from: 'user' }), rejectAfter(interrupted)]);
    return EXIT_CODES.done;
  } catch (error) {
    if (error instanceof CommanderError) {
      const group = program.commands.find((each) => words.includes(each.name()));
      return endParsing(error, output, group?.name());
    }
    const described = describeFailure(interrupted.aborted ? new InterruptedError() : error, command);
    const failure = { ...described, next: await completeNext(described.next, output.command, { session, command }) };
    output.failure(failure);
    annotateFailure(process.env, failure);
    return failure.exitCode;
  } finally {
    mentionNewerCommand(output, session?.newerCommand ?? null);
  }
}

/**
 * Ends a run that Commander stopped, either to print help or because the arguments are invalid. Commander has already
 * printed its message, except an error with `--json`.
 */
function endParsing({ exitCode, code, message }: CommanderError, output: Output, group?: string): ExitCode {
  if (exitCode === 0) return EXIT_CODES.done;
  // Without a command, Commander prints the help, and its error has a message that is not meant for users.
  const error = code === 'commander.help' ? describeMissingCommand(group) : new UsageError(message);
  if (output.options.json) output.failure(describeFailure(error));
  return EXIT_CODES.usage;
}

const describeMissingCommand = (group?: string): UsageError =>
  group
    ? new UsageError(`“stele ${group}” needs a subcommand.`, [
        { command: `stele ${group} --help`, when: 'to list its commands' },
      ])
    : new UsageError('The command is missing.', [{ command: 'stele --help', when: 'to list all commands' }]);

function createOutput({ json = false, quiet = false, color }: GlobalOptions & { color?: boolean }): Output {
  // Questions are coloured by Node, which reads these variables but does not know the option.
  if (color === false) {
    process.env.NO_COLOR = '1';
    delete process.env.FORCE_COLOR;
  }
  const { NO_COLOR, FORCE_COLOR, STELE_OUTPUT_FILE } = process.env;
  const isTerminal = process.stdout.isTTY === true && process.stderr.isTTY === true && process.env.TERM !== 'dumb';
  const wantsColor = color !== false && !NO_COLOR && (isTerminal || Boolean(FORCE_COLOR));
  return new Output({ json, quiet, color: wantsColor, file: STELE_OUTPUT_FILE }, { isCi: isCi(process.env) });
}

/** A reader such as `head` may close the output before everything is written. */
function ignoreClosedOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT_CODES.done);
    process.stderr.write(`Error: The output could not be written (${error.code ?? error.message}).\n`);
    process.exit(EXIT_CODES.refused);
  });
  // Ignore errors, so that the command finishes even if nothing reads its progress messages.
  process.stderr.on('error', () => undefined);
}

/**
 * Replaces a terminal size of 0, which would make questions unreadable. Some terminals report it, such as that of
 * `script`.
 */
function replaceUnknownSize(): void {
  process.stderr.columns ||= 80;
  process.stderr.rows ||= 24;
}

/** An interrupted command has this long to stop in an orderly way. */
const GRACE_MS = 1_000;

/**
 * Rejects GRACE_MS after an interruption, in case the command does not stop, for example because a server does not
 * respond.
 */
function rejectAfter(interrupted: AbortSignal): Promise<never> {
  return new Promise((_, reject) =>
    interrupted.addEventListener('abort', () => setTimeout(() => reject(interrupted.reason), GRACE_MS).unref()),
  );
}

/** Adds the instance and the folder to suggested commands that would otherwise use different ones. */
async function completeNext(
  next: readonly NextStep[],
  failed: string,
  { session, command }: { readonly session: Session | undefined; readonly command: Command | undefined },
): Promise<NextStep[]> {
  const option = (await session?.instanceOption()) ?? '';
  const source = command?.name() === 'deploy' ? command.args[0] : undefined;
  return (
    next
      // Don't suggest the command that has just failed, except `deploy`, which can succeed after a conflicting change.
      .filter((step) => step.command !== `stele ${failed}` || failed === 'deploy')
      .map((step) =>
        source
          ? { ...step, command: step.command.replace(/^stele deploy(?= --|$)/, (start) => `${start} ${quote(source)}`) }
          : step,
      )
      .map((step) => (/^stele \w/.test(step.command) ? { ...step, command: step.command + option } : step))
  );
}

/** The first Ctrl-C lets the command stop in an orderly way. The second one ends it at once. */
function listenForInterruption(): AbortSignal {
  const controller = new AbortController();
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(EXIT_CODES.interrupted);
    controller.abort(new InterruptedError());
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupt);
  return controller.signal;
}
