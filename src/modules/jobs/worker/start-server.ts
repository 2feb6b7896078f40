import type { ServedDeploy, SiteServerUse } from '../../../kernel/ports/served-program.js';
import { Refusal } from '../../../kernel/refusal.js';
import type { KnownServers } from '../../servers/api/known-servers.js';
import type { JobProgress } from '../job-progress.js';

/** Each attempt has the same time limit as a visitor's request. */
const TRIES = 4;

/**
 * Starts a server before its deploy goes live, as the step `start`. If the server does not respond, refuses with the
 * reason; the job then fails, and the live deploy keeps running.
 */
export async function startServer(
  program: ServedDeploy,
  servers: KnownServers,
  progress: JobProgress,
  signal: AbortSignal,
): Promise<void> {
  await progress.log('start', 'Starting the server and waiting for its first response');
  const use = await firstUse(program, servers, signal);
  use.release('answered');
  await progress.log('start', 'The server responds');
}

async function firstUse(program: ServedDeploy, servers: KnownServers, signal: AbortSignal): Promise<SiteServerUse> {
  for (let tries = 1; ; tries++) {
    try {
      return await servers.use(program, signal);
    } catch (error) {
      const isLate = error instanceof Refusal && error.code === 'server_starting';
      if (!isLate || tries === TRIES) throw error;
    }
  }
}
