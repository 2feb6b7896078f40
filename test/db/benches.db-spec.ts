import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const run = promisify(execFile);

/** Returns the output of a benchmark, even if the benchmark missed its targets, which assume an idle machine. */
async function printedBy(bench: string, env: Record<string, string>): Promise<string> {
  const asked = run(process.execPath, [`bench/${bench}`], { env: { ...process.env, NODE_OPTIONS: '', ...env } });
  const { stdout } = await asked.catch((error: { readonly stdout: string }) => error);
  return stdout;
}

const story = `
  const { story } = await import('./bench/rebuild/log.ts');
  const { catalogue } = await import('./dist/events/catalogue.js');
  let written = 0;
  for (const { event } of story(2_000)) written += catalogue.write(event.type, event.data) ? 1 : 0;
  console.log(written >= 2_000 ? 'whole' : written);`;

// Runs only the benchmarks of our own code, because a rename once broke them unnoticed.
describe('Benchmarks', () => {
  it('the benchmark for commands runs with the current code', async () => {
    const printed = await printedBy('commands/commands.ts', { STELE_BENCH_DEPLOYS: '5' });
    expect(printed).toMatch(/warm .* ×.*\ncold .* ×/);
  }, 60_000);

  it('the benchmark for projectors runs with the current code', async () => {
    expect(await printedBy('project/project.ts', { STELE_BENCH_MS: '300' })).toMatch(
      /in all read models: median \d+ ms/,
    );
  }, 60_000);

  it('the rebuild benchmark generates only events that the service accepts', async () => {
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', story], {
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    expect(stdout.trim()).toBe('whole');
  }, 60_000);
});
