import { setTimeout as delay } from 'node:timers/promises';
import { waitEnded } from '../../kernel/faults/ignored-fault.js';
import type { Checkpoints } from './checkpoints.js';

const LOOK_EVERY_MS = 200;
/**
 * Delay before a message about waiting is printed. If all processes start together, creating the tables takes a moment.
 */
const SAY_AFTER_MS = 3_000;

/** Resolves once any process has created the tables of this version’s read models. */
export async function waitForReadModels(
  checkpoints: Checkpoints,
  signal: AbortSignal,
  say: (message: string) => void,
): Promise<void> {
  const began = performance.now();
  let said = false;
  while (!signal.aborted && !(await checkpoints.exist())) {
    if (!said && performance.now() - began > SAY_AFTER_MS) {
      said = true;
      say('Waiting for a process with the projector role to build the read models.');
    }
    await delay(LOOK_EVERY_MS, undefined, { signal }).catch(waitEnded);
  }
}
