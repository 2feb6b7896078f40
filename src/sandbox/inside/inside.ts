// Runs in the sandbox alongside the command, and cannot import other modules of this project. The sandbox has only a
// loopback network, where connections to a port are forwarded to the proxy’s socket.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { constants } from 'node:os';

const PROXY = '/run/proxy.sock';
const PORT = 3128;

/** File with the command, for engines that would disclose a container’s arguments. */
const COMMAND = '/run/command.json';

const [, , given] = process.argv;
const { script, env, cwd } =
  given === undefined
    ? JSON.parse(readFileSync(COMMAND, 'utf8'))
    : { script: given, env: process.env, cwd: process.cwd() };

const forwarder = createServer((near) => {
  const far = connect(PROXY);
  near.on('error', () => far.destroy()).on('close', () => far.destroy());
  far.on('error', () => near.destroy()).on('close', () => near.destroy());
  near.pipe(far).pipe(near);
});

forwarder.listen(PORT, '127.0.0.1', () => {
  const command = spawn('/bin/sh', ['-c', script], { stdio: ['ignore', 'inherit', 'inherit'], env, cwd });
  command.on('error', () => process.exit(127));
  // The exit of this process ends the sandbox, including processes that the command left running.
  command.on('exit', (code, signal) => process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0)));
});
