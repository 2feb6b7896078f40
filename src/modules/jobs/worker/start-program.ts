import type { ProgramUse, ServedProgram } from '../../../kernel/ports/served-program.js';
import { Refusal } from '../../../kernel/refusal.js';
import type { KnownServers } from '../../servers/api/known-servers.js';
import type { JobProgress } from '../job-progress.js';

/** How often it is waited for, each time for as long as a visitor waits. */
const TRIES = 4;

/**
 * Starts a program before its deploy goes live, in the step `start`: its output or image is stored by then, and the
 * deploy that is live runs on. Refuses with why it does not answer; the job fails with that, and what was live stays so.
 */
export async function startProgram(
  program: ServedProgram,
  servers: KnownServers,
  progress: JobProgress,
  signal: AbortSignal,
): Promise<void> {
  await progress.log('start', 'Starting the server and waiting for its first response');
  const use = await firstUse(program, servers, signal);
  use.release('answered');
  await progress.log('start', 'The server responds');
}

async function firstUse(program: ServedProgram, servers: KnownServers, signal: AbortSignal): Promise<ProgramUse> {
  for (let tries = 1; ; tries++) {
    try {
      return await servers.use(program, signal);
    } catch (error) {
      const isLate = error instanceof Refusal && error.code === 'server_starting';
      if (!isLate || tries === TRIES) throw error;
    }
  }
}
