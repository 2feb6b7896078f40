import type { ProgramEnd } from '../../../kernel/ports/outside/programs.js';

/** In words for the site’s owners. */
export function crashReason({ exitCode, exceeded }: ProgramEnd): string {
  switch (exceeded?.what) {
    case 'memory':
      return `It took more than ${exceeded.limit} of memory.`;
    case 'processes':
      return `It started more than ${exceeded.limit} processes.`;
    case undefined:
      break;
    default:
      return `It wrote more than ${exceeded?.limit}.`;
  }
  if (exitCode > 128 && exitCode < 160) return `It was ended by signal ${exitCode - 128}.`;
  return `It ended with exit code ${exitCode}.`;
}

const FIRST_MS = 500;
const MOST_MS = 60_000;

/** How long a program that crashed so often in a row is left alone, in milliseconds. */
export const pauseAfter = (crashes: number): number => Math.min(MOST_MS, FIRST_MS * 2 ** Math.max(0, crashes - 1));
