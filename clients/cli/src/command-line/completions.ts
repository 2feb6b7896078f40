import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';

const HELP = `
Examples:
  stele completions bash >> ~/.bashrc
      lets the Tab key complete commands and options in bash
  stele completions powershell >> $PROFILE
      does the same in PowerShell; zsh and fish work too`;

/** Adds `stele completions SHELL`, and the hidden command that the printed script calls to get completions. */
export function addCompletions(program: Command): void {
  tab(program, { completionCommandName: 'completions' });
  const command = program.commands.find((each) => each.name() === 'completions');
  const [shell] = command?.registeredArguments ?? [];
  if (shell) shell.description = 'the name of the shell';
  command?.description('print a script that completes commands in your shell').addHelpText('after', HELP);
}
