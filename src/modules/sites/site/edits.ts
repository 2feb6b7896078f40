import type { Given } from '../../../kernel/command-context.js';
import { Refusal } from '../../../kernel/refusal.js';
import { isTheirs, mayEdit } from './may-edit.decide.js';
import type { Site } from './site.state.js';

/** Whether the caller could redeploy this site. To strangers a taken name is taken, whatever became of its site. */
export function edits(state: Site, given: Given): boolean {
  try {
    mayEdit(state, given);
    return true;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (isTheirs(state, given.caller)) throw error;
    return false;
  }
}
