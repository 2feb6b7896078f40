import type { ServerExit } from '../../../kernel/ports/outside/server-runner.js';

export function crashReason({ exitCode, exceeded }: ServerExit): string {
  switch (exceeded?.what) {
    case 'memory':
      return `The server used more than ${exceeded.limit} of memory.`;
    case 'processes':
      return `The server started more than ${exceeded.limit} processes.`;
    case 'files':
      return `The server created more than ${exceeded.limit} files.`;
    case 'disk':
      return `The server wrote more than ${exceeded.limit} to disk.`;
  }
  if (exitCode > 128 && exitCode < 160) return `The server was killed by signal ${exitCode - 128}.`;
  return `The server exited with code ${exitCode}.`;
}

const FIRST_MS = 500;
const MAX_MS = 60_000;

/** Returns the delay before a server is restarted after this many consecutive crashes, in milliseconds. */
export const computeRestartDelay = (crashes: number): number =>
  Math.min(MAX_MS, FIRST_MS * 2 ** Math.max(0, crashes - 1));
