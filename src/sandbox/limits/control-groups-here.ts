import { isRoot } from '../isolated/owner.js';
import type { ControlGroupTree } from './control-groups.js';
import { controlGroupsV1 } from './control-groups-v1.js';
import { controlGroupsV2 } from './control-groups-v2.js';

/**
 * Returns control groups of version 2 or, if they are unavailable, of version 1. Returns null if neither can be used.
 */
export const controlGroupsHere = async (): Promise<ControlGroupTree | null> =>
  (await controlGroupsV2()) ?? (isRoot() ? controlGroupsV1() : null);
