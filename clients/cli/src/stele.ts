import { setFlagsFromString } from 'node:v8';
import { runCommandLine } from './command-line/run.js';
import { needsRestart, restartWithProxy } from './network/proxy.js';

const words = process.argv.slice(2);

// V8 lets garbage grow to some 200 MB before it looks at it, which is much for a command that runs beside a build.
setFlagsFromString('--optimize-for-size');

// tools/build.mjs prints the version before it loads any of this.
const run = needsRestart(process.env) ? restartWithProxy() : runCommandLine(words);
run.then((exitCode) => {
  process.exitCode = exitCode;
});
