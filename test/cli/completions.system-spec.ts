// needs: bash, zsh, fish, tmux

import { execFile } from 'node:child_process';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CommandLine } from '../support/cli/stele-command.js';
import { Terminal } from '../support/cli/terminal.js';

const run = promisify(execFile);

let machine: CommandLine;
let terminal: Terminal | undefined;

beforeEach(async () => {
  // Nothing listens at this address, because completions need no instance.
  machine = await CommandLine.create('http://127.0.0.1:9');
  await mkdir(join(machine.project, 'my folder'));
  await machine.write('hostile $(touch pwned) \u001b]0;x\u0007', '');
  await machine.write('stele.json', '{"site":"my-site"}');
});
afterEach(async () => {
  await terminal?.close();
  terminal = undefined;
  await machine?.remove();
});

async function writeScript(shell: string): Promise<string> {
  const file = join(machine.folder, `script.${shell}`);
  await writeFile(file, (await machine.run(['completions', shell])).out);
  return file;
}

/** Opens a terminal with a shell that has loaded the completion script. */
async function open(shell: string): Promise<Terminal> {
  const home = join(machine.folder, 'home');
  await writeFile(join(home, `.${shell}rc`), `source ${await writeScript(shell)}; PS1='$ '`);
  const bash = ['bash', '--noprofile', '--rcfile', join(home, '.bashrc'), '-i'];
  terminal = await Terminal.open(machine, shell === 'bash' ? bash : ['zsh', '--no-global-rcs', '-i']);
  return terminal;
}

/** Types characters on an empty line, presses Tab, and returns what the screen then shows after the prompt. */
async function complete(shell: Terminal, typed: string, tabs = 1): Promise<string> {
  await shell.press('C-u', 'C-l');
  await shell.write(typed);
  await shell.press(...Array(tabs).fill('Tab'));
  await shell.write('END');
  const screen = await shell.see(/END *$/m);
  return screen.slice(screen.indexOf('$ ') + 2, screen.lastIndexOf('END'));
}

describe('stele complete', () => {
  const completeSites = async () => (await machine.run(['complete'], { input: 'open\0\0' })).out;

  it('knows the linked site and the stored anonymous sites of the instance', async () => {
    await mkdir(join(machine.credentials, '..'), { recursive: true });
    const editTokens = { 'anonymous-site': 'stele_edit_x', '$(touch pwned)': 'stele_edit_x' };
    const instances = { [machine.instance]: { editTokens }, 'http://127.0.0.1:8': { editTokens: { other: 'x' } } };
    await writeFile(machine.credentials, JSON.stringify({ version: 1, instances }));
    expect(await completeSites()).toBe('my-site\tsite\nanonymous-site\tsite\n');
  });

  it('completes no site if stele.json is invalid', async () => {
    await machine.write('stele.json', '{"site":"$(touch pwned)"}');
    expect(await completeSites()).toBe('');
  });
});

describe.each(['bash', 'zsh', 'fish'])('the completion script for %s', (shell) => {
  it('can be loaded twice', async () => {
    const script = await writeScript(shell);
    expect(await run(shell, ['-c', `source ${script}; source ${script}`])).toEqual({ stdout: '', stderr: '' });
  });
});

describe.each(['bash', 'zsh'])('the Tab key in %s', (shell) => {
  it('completes commands, options, values and file names', async () => {
    const opened = await open(shell);
    const lines = {
      'stele rollb': 'stele rollback ',
      'stele domains ch': 'stele domains check ',
      'stele --instance http://127.0.0.1:9 domains ch': 'stele --instance http://127.0.0.1:9 domains check ',
      'stele deploy --dry': 'stele deploy --dry-run ',
      'stele tokens create --role=e': 'stele tokens create --role=editor ',
      'stele open my': 'stele open my-site ',
      'stele deploy my': 'stele deploy my\\ folder/',
      'stele rollback my': 'stele rollback my',
    };
    const completed: Record<string, string> = {};
    for (const line of Object.keys(lines)) completed[line] = await complete(opened, line);
    expect(completed).toEqual(lines);
  });

  it('never evaluates what was typed, or the name of a file', async () => {
    const opened = await open(shell);
    const lines = {
      'stele deploy --message "$(touch pwned)" --dry': 'stele deploy --message "$(touch pwned)" --dry-run ',
      'stele deploy --message * --dry': 'stele deploy --message * --dry-run ',
      'stele deploy --message `touch pwned` --no-x': 'stele deploy --message `touch pwned` --no-x',
      'stele $(touch pwned) x': 'stele $(touch pwned) x',
      'stele rollb "unclosed': 'stele rollb "unclosed',
    };
    const completed: Record<string, string> = {};
    for (const line of Object.keys(lines)) completed[line] = await complete(opened, line);
    expect(completed).toEqual(lines);
    expect(await complete(opened, 'stele deploy ho')).toMatch(/^stele deploy hostile\\ \\\$\\\(touch\\ pwned\\\)\\ /);
    expect(await readdir(machine.project)).not.toContain('pwned');
  });

  it('shows nothing if the command is missing or fails', async () => {
    const opened = await open(shell);
    await rm(join(machine.folder, 'stele'));
    expect(await complete(opened, 'stele rollb', 2)).toBe('stele rollb');
    const broken = '#!/bin/sh\necho broken\necho broken >&2\nexit 1\n';
    await writeFile(join(machine.folder, 'stele'), broken, { mode: 0o755 });
    expect(await complete(opened, 'stele rollb', 2)).toBe('stele rollb');
  });
});

it('the Tab key in fish completes commands, options and file names, and never evaluates what was typed', async () => {
  const env = await machine.install();
  const script = `source ${await writeScript('fish')}; for line in $argv; complete -C $line; end`;
  const lines = [
    ...['stele rollb', 'stele domains ch', 'stele deploy --dry', 'stele deploy --message (touch pwned) --dra'],
    ...['stele open my', 'stele deploy my', 'stele rollback my'],
  ];
  const options = { cwd: machine.project, env };
  const { stdout, stderr } = await run('fish', ['--no-config', '-c', script, ...lines], options);
  const values = ['rollback', 'check', '--dry-run', '--draft', 'my-site', 'my folder/', ''];
  expect([stdout.split('\n').map((line) => line.split('\t')[0]), stderr]).toEqual([values, '']);
  expect(await readdir(machine.project)).not.toContain('pwned');
  await rm(join(machine.folder, 'stele'));
  expect(await run('fish', ['--no-config', '-c', script, ...lines], options)).toEqual({ stdout: '', stderr: '' });
});
