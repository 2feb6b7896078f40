import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';

const keptLines = 30;

/**
 * Runs a program to its end. Resolves with its status and its last 30 lines of output, except those for which `swallow`
 * returns true. If the program cannot be started, the status is 127 and the output contains the reason.
 */
export function run(command, args, { cwd, env, swallow = () => false }) {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const lines = [];
  const listen = (text) => {
    if (swallow(text)) return;
    lines.push(text);
    if (lines.length > keptLines) lines.shift();
  };
  for (const output of [child.stdout, child.stderr]) createInterface(output).on('line', listen);
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ status: 127, tail: `${command}: ${error.message}` }));
    child.once('close', (status) => resolve({ status: status ?? 1, tail: lines.join('\n') }));
  });
}

run.sync = (command, args) => spawnSync(command, args, { stdio: 'ignore' });
