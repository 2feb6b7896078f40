import { Argument, type CommandDefinition } from '../../command-line/command.js';
import { SCRIPTS } from '../../completions/scripts.js';

export const completions: CommandDefinition = {
  usage: 'completions',
  summary: 'print a script that completes commands in your shell',
  examples: [
    ['stele completions bash >> ~/.bashrc', 'lets the Tab key complete commands, options and files in bash'],
    ['stele completions fish > ~/.config/fish/completions/stele.fish', 'does the same in fish'],
  ],
  configure: (command) =>
    command.addArgument(new Argument('<shell>', 'the name of the shell').choices(Object.keys(SCRIPTS))),
  run: async (session, [shell = '']) => {
    const script = SCRIPTS[shell] ?? '';
    session.output.result({ json: { shell, script }, text: script, quiet: script });
  },
};
