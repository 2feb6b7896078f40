import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';

const HELP = `
Examples:
  stele completions bash >> ~/.bashrc
      completes commands and options with the Tab key in bash
  stele completions powershell >> $PROFILE
      the same in PowerShell; zsh and fish work too`;

/** Adds `stele completions SHELL`, and the hidden command with which a shell asks what could follow. */
export function addCompletions(program: Command): void {
  tab(program, { completionCommandName: 'completions' });
  const command = program.commands.find((each) => each.name() === 'completions');
  command?.description('print a script that completes commands in a shell').addHelpText('after', HELP);
}
