import { setFlagsFromString } from 'node:v8';
import { EXIT_CODES } from './command-line/exit-codes.js';
import { runCommandLine } from './command-line/run.js';
import { needsRestart, restartWithProxy } from './network/proxy.js';

const words = process.argv.slice(2);

// By default, V8 lets garbage grow to about 200 MB before it frees memory. This is too much for a command that runs
// beside a build.
setFlagsFromString('--optimize-for-size');

// `--version` does not get here, because the bundle handles it first (tools/build.mjs). `complete` sends no request, so
// it needs no proxy. A restart would double the time that the shell waits for `complete`.
const run = words[0] !== 'complete' && needsRestart(process.env) ? restartWithProxy() : runCommandLine(words);
run.then((exitCode) => {
  process.exitCode = exitCode;
  // Exit explicitly, because a request that does not end would keep an interrupted command running.
  if (exitCode === EXIT_CODES.interrupted) process.exit();
});
