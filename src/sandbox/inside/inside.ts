// Runs inside the sandbox, before the command and beside it: nothing of ours is there to import. The sandbox has no
// network but its own loopback; what listens there hands every connection to the proxy’s socket.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { constants } from 'node:os';

const PROXY = '/run/proxy.sock';
const PORT = 3128;

/** Where the command is written for engines that would tell their callers what a container was started with. */
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
  // What the command leaves running ends with this process, which takes the sandbox along.
  command.on('exit', (code, signal) => process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0)));
});
