import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { InterruptedError } from './error.mjs';

const keptLines = 30;
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a program to its end. Resolves with its status and its last 30 lines of output, except those for which `swallow`
 * returns true. If the program cannot be started, the status is 127 and the output contains the reason.
 *
 * Forwards signals to the program, because a supervisor may signal only one process of the group. Then rejects with
 * InterruptedError once the program has ended.
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
  let received = null;
  const passOn = (signal) => {
    received ??= signal;
    child.kill(signal);
  };
  for (const signal of stopSignals) process.on(signal, passOn);
  return new Promise((resolve, reject) => {
    child.once('error', (error) => resolve({ status: 127, tail: `${command}: ${error.message}` }));
    child.once('close', (status) => {
      if (received) reject(new InterruptedError(received));
      else resolve({ status: status ?? 1, tail: lines.join('\n') });
    });
  }).finally(() => {
    for (const signal of stopSignals) process.off(signal, passOn);
  });
}

run.sync = (command, args) => spawnSync(command, args, { stdio: 'ignore' });
