import type { ProgramEnd } from '../../../kernel/ports/outside/programs.js';

/** Describes a crash in one sentence, for the site’s owners. */
export function crashReason({ exitCode, exceeded }: ProgramEnd): string {
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
const MOST_MS = 60_000;

/** Returns how long to wait before the next start after this many crashes in a row, in milliseconds. */
export const pauseAfter = (crashes: number): number => Math.min(MOST_MS, FIRST_MS * 2 ** Math.max(0, crashes - 1));
