import { COMMANDS } from '../commands/commands.js';
import { addComplete } from '../completions/complete.js';
import { VERSION } from '../network/client-name.js';
import { addCommands, type StartSession } from './command.js';
import { EXIT_CODES_HELP } from './exit-codes.js';
import { ReadableCommand } from './usage-errors.js';

/** Creates the parser of the command line. With `isSilent`, usage errors are thrown without being printed. */
export function createProgram(start: StartSession, isSilent: boolean) {
  const program = new ReadableCommand('stele')
    .description('Publishes folders, files and repositories on a Stele instance.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .option('--instance <url>', 'the URL of the Stele instance (or STELE_INSTANCE)')
    .option('--token <token>', 'an access token (STELE_TOKEN is safer: other users of this machine can see arguments)')
    .option('--json', 'print one JSON object, even if the command fails')
    .option('--quiet', 'print only the main result, such as the address')
    .option('--no-color', 'do not use colours (or NO_COLOR)')
    .option('--yes', 'do not ask for confirmation')
    .option('--ca <file>', 'also trust the certificates in this PEM file')
    .showHelpAfterError('Add --help to see all commands.')
    .exitOverride()
    .configureOutput({
      writeErr: (text) => {
        if (!isSilent) process.stderr.write(text);
      },
    });
  program.addHelpText('after', `\n${EXIT_CODES_HELP}`);
  addCommands(program, COMMANDS, start);
  addComplete(program, start);
  return program;
}
