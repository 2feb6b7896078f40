import { text } from 'node:stream/consumers';
import { type Argument, type Command, Help, type Option } from 'commander';
import type { StartSession } from '../command-line/command.js';
import type { Session } from '../command-line/session.js';

type Completion = readonly [value: string, description: string];

/** A value that makes the shell complete file names. */
const FILES = ':files';

const help = new Help();
help.showGlobalOptions = true;

/** Adds the hidden command that shell completion scripts call. It sends no requests. */
export function addComplete(program: Command, start: StartSession): void {
  const hidden = program.command('complete', { hidden: true });
  hidden.action(async () => {
    const sites = await listKnownSites(start({}, 'complete', hidden));
    const completions = complete(program, await text(process.stdin), sites);
    process.stdout.write(completions.map((each) => `${each.join('\t')}\n`).join(''));
  });
}

/** Returns completions for the last word in `typed`. Each word ends with NUL. */
export function complete(program: Command, typed: string, sites: readonly string[]): readonly Completion[] {
  // bash splits words at `=` and `:`, so `--instance=http://a:80` arrives as seven words.
  const words = typed.replaceAll('\0:\0', ':').replaceAll('\0=\0', '\0').split('\0').slice(0, -1);
  const current = words.pop() ?? '';
  const { command, group, given, option, areOptionsOver } = findPosition(program, words);

  const listValues = (kind: string | undefined, { argChoices, description }: Argument | Option): Completion[] => {
    if (argChoices) return argChoices.map((value) => [value, description || `${kind}`]);
    if (kind === 'site') return sites.map((value) => [value, 'site']);
    if (kind === 'command') return listCommands(group);
    return /^(file|folder|path|source)$/.test(kind ?? '') ? [[FILES, 'file names']] : [];
  };
  const listOptionValues = (each: Option) =>
    listValues(each.attributeName() === 'site' ? 'site' : /<(\w+)>/.exec(each.flags)?.[1], each);
  const listAll = (): Completion[] => {
    if (option) return listOptionValues(option);
    if (current.startsWith('-') && !areOptionsOver) {
      const assigned = listOptions(command).find(({ long }) => current.startsWith(`${long}=`));
      return assigned
        ? listOptionValues(assigned).map(([value, description]) => [`${assigned.long}=${value}`, description])
        : listOptions(command).map(({ long, description }) => [`${long}`, description]);
    }
    const argument = command.registeredArguments[given];
    return [...(given === 0 ? listCommands(command) : []), ...(argument ? listValues(argument.name(), argument) : [])];
  };

  // Shells insert completions without quoting them, so values with special characters are left out.
  const isSafe = (value: string) => /^[\w.=-]+$/.test(value) && value.startsWith(current);
  return listAll().filter(([value]) => value === FILES || isSafe(value));
}

/**
 * Finds the command that these words name, its group, the number of arguments so far, and the option whose value comes
 * next.
 */
function findPosition(program: Command, words: readonly string[]) {
  let [command, group, given, areOptionsOver] = [program, program, 0, false];
  let option: Option | undefined;
  for (const word of words) {
    if (option) option = undefined;
    else if (word === '--') areOptionsOver = true;
    else if (word.startsWith('-') && !areOptionsOver)
      option = listOptions(command).find(({ short, long, required }) => required && (short === word || long === word));
    else {
      const child = given === 0 ? help.visibleCommands(command).find((each) => each.name() === word) : undefined;
      if (child) [command, group] = [child, command];
      else given += 1;
    }
  }
  return { command, group, given, option, areOptionsOver };
}

const listOptions = (command: Command) => [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];

const listCommands = (command: Command): Completion[] =>
  help.visibleCommands(command).map((each) => [each.name(), help.subcommandDescription(each)]);

/** Lists the linked site, and the anonymous sites whose edit tokens for this instance are stored. */
async function listKnownSites(session: Session): Promise<string[]> {
  try {
    const { url } = await session.chooseInstance();
    const { instances } = await session.readCredentials();
    const linked = (await session.link)?.site;
    return [...new Set([...(linked ? [linked] : []), ...Object.keys(instances[url]?.editTokens ?? {})])];
  } catch {
    return [];
  }
}
