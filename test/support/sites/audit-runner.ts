// Runs `tools/audit.mjs` repeatedly in one process. Each line of standard input is a JSON array of arguments. For each,
// a line of JSON with the exit code, output and errors is written to standard output.
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';

const command = pathToFileURL('tools/audit.mjs').href;
const node = process.argv.slice(0, 1);
const write = process.stdout.write.bind(process.stdout);
let written = { stdout: '', stderr: '' };
for (const name of ['stdout', 'stderr'] as const)
  process[name].write = (chunk: string | Uint8Array) => {
    written[name] += chunk;
    return true;
  };

let time = 0;
for await (const line of createInterface({ input: process.stdin })) {
  written = { stdout: '', stderr: '' };
  process.exitCode = 0;
  process.argv = [...node, 'tools/audit.mjs', ...JSON.parse(line)];
  try {
    // Node evaluates a module once per URL, so each run gets a different URL.
    await import(`${command}?${++time}`);
  } catch (error) {
    process.stderr.write(inspect(error));
    process.exitCode = 1;
  }
  write(`${JSON.stringify({ code: process.exitCode, said: written.stdout, complained: written.stderr })}\n`);
}
process.exitCode = 0;
