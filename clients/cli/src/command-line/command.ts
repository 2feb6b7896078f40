import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import type { GlobalOptions, Session } from './session.js';

export { Argument, Command, InvalidArgumentError, Option };

export type Example = readonly [command: string, what: string];

type Words = readonly (string | undefined)[];

/** A command, or a group of commands if it has `children`. */
export type CommandDefinition = {
  /** The name and the arguments, such as `rollback [deploy]`. */
  readonly usage: string;
  readonly summary: string;
  readonly examples: readonly [Example, Example];
  readonly configure?: (command: Command) => unknown;
  // biome-ignore lint/suspicious/noExplicitAny: the options are those that `configure` declares.
  readonly run?: (session: Session, words: Words, options: any) => Promise<void>;
  readonly children?: readonly CommandDefinition[];
};

export type StartSession = (options: GlobalOptions, name: string, command: Command) => Session;

/** Adds commands to a program or to a group. `start` creates the session of the command that the user typed. */
export function addCommands(parent: Command, definitions: readonly CommandDefinition[], start: StartSession): void {
  for (const { usage, summary, examples, configure, run, children } of definitions) {
    const command = parent.command(usage).description(summary).summary(summary);
    command.showHelpAfterError('Add --help to see the options of this command.');
    command.addHelpText('after', formatExamples(examples));
    configure?.(command);
    if (children) addCommands(command, children, start);
    if (!run) continue;
    command.action(async (...given: unknown[]) => {
      const words = given.slice(0, -2) as Words;
      await run(start(command.optsWithGlobals(), nameOf(command), command), words.flat() as Words, command.opts());
    });
  }
}

function nameOf(command: Command): string {
  const parent = command.parent;
  return parent?.parent ? `${nameOf(parent)} ${command.name()}` : command.name();
}

function formatExamples(examples: readonly Example[]): string {
  return `\nExamples:\n${examples.map(([command, what]) => `  ${command}\n      ${what}`).join('\n')}

stele --help lists the options of all commands, such as --instance and --json.`;
}

export function parseCount(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a positive whole number.');
  return Number(text);
}

export const parseCountUpTo = (most: number) => (text: string) => {
  const count = parseCount(text);
  if (count > most) throw new InvalidArgumentError(`It must be at most ${most}.`);
  return count;
};
