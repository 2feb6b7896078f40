import { runCommandLine } from './command-line/run.js';
import { needsRestart, restartWithProxy } from './network/proxy.js';

const words = process.argv.slice(2);

// tools/build.mjs prints the version before it loads any of this.
const run = needsRestart(process.env) ? restartWithProxy() : runCommandLine(words);
run.then((exitCode) => {
  process.exitCode = exitCode;
});
