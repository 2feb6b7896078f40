// Runs inside the sandbox, before the command and alongside it. Other modules of this project do not exist there, so it
// cannot import them. The sandbox has only a loopback network. Connections to its port are forwarded to the proxy’s
// socket.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { constants } from 'node:os';

const PROXY = '/run/proxy.sock';
const PORT = 3128;

/** File that contains the command. Used with engines that would disclose a container’s arguments. */
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
  // When this process exits, the sandbox ends, including any processes that the command has left running.
  command.on('exit', (code, signal) => process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0)));
});
