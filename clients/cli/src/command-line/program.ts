import { Command } from 'commander';
import { COMMANDS } from '../commands/commands.js';
import { VERSION } from '../network/client-name.js';
import { addCommands } from './command.js';
import { addCompletions } from './completions.js';
import { EXIT_CODES_HELP } from './exit-codes.js';
import type { GlobalOptions, Session } from './session.js';

/** Everything that can be typed. With `isSilent`, errors in the words are only thrown. */
export function createProgram(start: (options: GlobalOptions, name: string) => Session, isSilent: boolean): Command {
  const program = new Command('stele')
    .description('Publishes folders, files and repositories on an instance of Stele.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .option('--instance <url>', 'the instance of Stele (or STELE_INSTANCE)')
    .option('--token <token>', 'an access token (better: STELE_TOKEN, which other users cannot see)')
    .option('--json', 'print one JSON object, also on failure')
    .option('--quiet', 'print only the address')
    .option('--no-color', 'print without colours (or NO_COLOR)')
    .option('--yes', 'answer questions with yes')
    .option('--ca <file>', 'trust the certificates in this file too')
    .showHelpAfterError('Add --help to see what can be typed.')
    .exitOverride()
    .configureOutput({
      writeErr: (text) => {
        if (!isSilent) process.stderr.write(text);
      },
      outputError: (text, write) => write(text.replace(/^error: (.)/, (_, first: string) => first.toUpperCase())),
    });
  program.addHelpText('after', `\n${EXIT_CODES_HELP}`);
  addCommands(program, COMMANDS, start);
  addCompletions(program);
  return program;
}
