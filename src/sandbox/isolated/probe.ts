import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IsolatedSandbox } from './isolated-sandbox.js';

/**
 * Limits of a sandbox’s test run at startup. Without control groups, the process limit includes other processes of the
 * user.
 */
export const LIMITS_OF_PROBE = { memoryBytes: 536_870_912, processes: 1_024, diskBytes: 16_777_216, diskFiles: 1_000 };

/** Time limit of the test run at startup. It is long enough for a slow or busy machine. */
const PROBE_MS = 60_000;

/**
 * Runs Node and npm in a sandbox, and checks that this process and the sandbox see the same work tree, which is not the
 * case if the engine is on another machine. Returns a description of the problem, or null. Closes the sandbox even if
 * `stopping` ends the test.
 */
export async function probe(sandbox: IsolatedSandbox, engine: string, stopping: AbortSignal): Promise<string | null> {
  const said: Uint8Array[] = [];
  try {
    await writeFile(join(sandbox.workTree, 'asked'), sandbox.workTree, { mode: 0o644 });
    const script = 'cat asked > answered && node --version && npm --version';
    const listen = async (_: string, bytes: Uint8Array) => void said.push(bytes);
    const command = { script, folder: '.', tools: [], env: {} };
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(PROBE_MS)]);
    const { exitCode } = await sandbox.run(command, listen, signal);
    const why = Buffer.concat(said).toString('utf8').trim().slice(0, 300);
    if (exitCode !== 0) return `${engine} cannot create a sandbox on this machine: ${why || `exit code ${exitCode}`}`;
    const answered = await readFile(join(sandbox.workTree, 'answered'), 'utf8');
    return answered === sandbox.workTree ? null : `${engine} cannot access folders on this machine.`;
  } catch (error) {
    const why = error instanceof Error ? error.message.trim().slice(0, 300) : String(error);
    return `${engine} failed to create a sandbox: ${why}`;
  } finally {
    await sandbox.close();
  }
}
