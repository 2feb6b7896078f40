import type { ServedDeploy, SiteServerUse } from '../../../kernel/ports/served-deploy.js';
import { Refusal } from '../../../kernel/refusal.js';
import type { KnownServers } from '../../servers/api/known-servers.js';
import { RecentOutput } from '../build/failure-hints.js';
import type { JobProgress } from '../job-progress.js';

type StartedServers = Pick<KnownServers, 'use' | 'linesBeforeCrash'>;

const MAX_LINES = 40;

/** Number of attempts to start the server. Each has the same time limit as a visitor's request. */
const TRIES = 4;

/** Hints for a server that fails because a file system is read-only (docs/interface/servers.md, "Environment"). */
const READ_ONLY_FILES: Record<ServedDeploy['kind'], string> = {
  container:
    'A server can write only to /tmp, /var/tmp, /run and the volumes of its image. If it needs to write to another folder, declare that folder as a volume in the Dockerfile, for example: VOLUME /var/lib/app.',
  next: 'A server can write only to /tmp and .next/cache.',
};

/**
 * Starts the server of a deploy before the deploy goes live. The job shows this as the step `start`. If the server does
 * not respond, refuses with the reason; the job then fails, and the live deploy keeps running.
 */
export async function startServer(
  deploy: ServedDeploy,
  servers: StartedServers,
  progress: JobProgress,
  signal: AbortSignal,
): Promise<void> {
  await progress.log('start', 'Starting the server and waiting for its first response');
  const use = await firstUse(deploy, servers, signal).catch(async (error: unknown) => {
    if (!(error instanceof Refusal) || error.code !== 'server_failed') throw error;
    throw new Refusal(error.code, await withOutput(error.detail ?? error.message, deploy, servers, progress));
  });
  use.release('answered');
  await progress.log('start', 'The server responds');
}

/**
 * Copies the end of the server’s output to the job’s log. Returns the reason, a hint if one applies, and the lines that
 * explain the failure.
 */
async function withOutput(
  reason: string,
  deploy: ServedDeploy,
  servers: Pick<KnownServers, 'linesBeforeCrash'>,
  progress: JobProgress,
): Promise<string> {
  const lines = await servers.linesBeforeCrash(deploy, MAX_LINES);
  if (lines.length === 0) return reason;
  await progress.log('start', 'Last lines of the server’s output:', 'stderr');
  const recent = new RecentOutput();
  for (const line of lines) {
    recent.add(line);
    await progress.log('start', line, 'stderr');
  }
  const hints = recent.mentionsReadOnlyFiles() ? [READ_ONLY_FILES[deploy.kind]] : [];
  return [reason, ...hints, `Its log says: ${recent.listErrors().join(' | ')}`].join(' ');
}

async function firstUse(deploy: ServedDeploy, servers: StartedServers, signal: AbortSignal): Promise<SiteServerUse> {
  for (let tries = 1; ; tries++) {
    try {
      return await servers.use(deploy, signal);
    } catch (error) {
      const isLate = error instanceof Refusal && error.code === 'server_starting';
      if (!isLate || tries === TRIES) throw error;
    }
  }
}
