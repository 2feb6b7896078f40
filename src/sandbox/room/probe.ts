import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Room } from './room.js';

/** Without control groups the number of processes is that of our user, who may have many elsewhere. */
export const LIMITS_OF_PROBE = { memoryBytes: 536_870_912, processes: 1_024, diskBytes: 16_777_216, diskFiles: 1_000 };

/** How long a sandbox may take to run next to nothing, at the start, in milliseconds: a machine may be slow, or busy. */
const PROBE_MS = 60_000;

/**
 * Runs Node and npm in a room, and sees that both sides of its walls have the same work tree: an engine that lives on
 * another machine would have one of its own. What is wrong, in words; null where nothing is. Closes the room.
 */
export async function probe(room: Room, engine: string): Promise<string | null> {
  const said: Uint8Array[] = [];
  try {
    await writeFile(join(room.workTree, 'asked'), room.workTree, { mode: 0o644 });
    const script = 'cat asked > answered && node --version && npm --version';
    const listen = async (_: string, bytes: Uint8Array) => void said.push(bytes);
    const command = { script, folder: '.', tools: [], env: {} };
    const { exitCode } = await room.run(command, listen, AbortSignal.timeout(PROBE_MS));
    const why = Buffer.concat(said).toString('utf8').trim().slice(0, 300);
    if (exitCode !== 0) return `${engine} cannot create a sandbox on this machine: ${why || `exit code ${exitCode}`}`;
    const answered = await readFile(join(room.workTree, 'answered'), 'utf8');
    return answered === room.workTree ? null : `${engine} cannot access folders on this machine.`;
  } catch (error) {
    const why = error instanceof Error ? error.message.trim().slice(0, 300) : String(error);
    return `${engine} failed to create a sandbox: ${why}`;
  } finally {
    await room.close();
  }
}
