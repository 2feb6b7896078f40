import { needsRestart, restartWithProxy } from './network/proxy.js';

// With a proxy, the rest of the command runs in a second process, so nothing else is loaded before.
if (needsRestart(process.env)) process.exitCode = await restartWithProxy();
else {
  const { runCommandLine } = await import('./command-line/run.js');
  process.exitCode = await runCommandLine(process.argv.slice(2));
}
