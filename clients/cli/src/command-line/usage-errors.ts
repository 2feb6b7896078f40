import { Command, type ErrorOptions } from 'commander';

/**
 * Command names of other tools, and the equivalent commands of stele. The first equivalent that exists in the current
 * group is suggested.
 */
const SYNONYMS: readonly (readonly [words: string, ...commands: string[]])[] = [
  ['init publish', 'deploy'],
  ['dev', 'deploy --draft'],
  ['build', 'repo'],
  ['undo revert promote', 'rollback'],
  ['status inspect', 'deploys'],
  ['list ls', 'list', 'sites'],
  ['env', 'secrets'],
  ['env:set', 'secrets set'],
  ['auth signin', 'login'],
  ['team users', 'members'],
  ['certs', 'domains'],
  ['remove rm destroy delete', 'delete', 'remove'],
  ['add create', 'add', 'create', 'set'],
];

/** A command whose usage errors are worded like the other errors of stele. */
export class ReadableCommand extends Command {
  override createCommand(name?: string): ReadableCommand {
    return new ReadableCommand(name);
  }

  override error(message: string, options?: ErrorOptions): never {
    return super.error(reword(message, this), options);
  }
}

/** Rewords an error of commander, such as `error: option '--limit <count>' argument 'x' is invalid. …`. */
const reword = (message: string, command: Command): string =>
  message
    .replace(/^error: unknown command '(.*)'(?:\n\(Did you mean (?:one of )?(.*)\?\))?$/s, (_, word, similar = '') =>
      describeUnknown(word, findSynonym(word, command) ?? similar.split(', '), command),
    )
    .replace(/^error: option '([^' ]+)[^']*' argument missing/, '$1 needs a value.')
    .replace(/^error: option '([^' ]+)[^']*' argument '(.*)' is invalid/, '“$2” is not a valid value of $1')
    .replace(/^error: command-argument value '(.*)' is invalid for argument '(.*)'/, '“$1” is not a valid $2')
    .replace(/^error: (.)/, (_, first: string) => first.toUpperCase());

function findSynonym(word: string, { commands }: Command): string[] | undefined {
  const found = SYNONYMS.filter(([words]) => words.split(' ').includes(word))
    .flatMap(([, ...same]) => same)
    .find((each) => commands.some((command) => command.name() === each.split(' ')[0]));
  return found === undefined ? undefined : [found];
}

function describeUnknown(word: string, suggested: readonly string[], command: Command): string {
  const path = command.parent ? `${command.parent.name()} ${command.name()}` : command.name();
  const names = suggested.filter(Boolean).map((name) => `“${path} ${name}”`);
  return `Unknown command “${word}”.${names.length === 0 ? '' : ` Did you mean ${names.join(' or ')}?`}`;
}
