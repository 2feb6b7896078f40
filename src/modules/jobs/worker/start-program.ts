import type { ServedProgram } from '../../../kernel/ports/site-servers.js';
import type { JobProgress } from '../job-progress.js';

/**
 * What is to be done with a program before its deploy goes live, in the step `start`: its output or image is stored by
 * then, and the deploy that is live runs on. Where this throws the job fails, and what was live stays so.
 */
export async function startProgram(_program: ServedProgram, progress: JobProgress, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await progress.log('start', 'It is started by its first visitor');
}
