import { VERSION } from './network/client-name.js';
import { needsRestart, restartWithProxy } from './network/proxy.js';

const words = process.argv.slice(2);

// Scripts ask for the version before anything else, so it does not wait for the rest of the command.
if (words.length === 1 && (words[0] === '--version' || words[0] === '-V')) process.stdout.write(`${VERSION}\n`);
else if (needsRestart(process.env)) process.exitCode = await restartWithProxy();
else {
  const { runCommandLine } = await import('./command-line/run.js');
  process.exitCode = await runCommandLine(words);
}
