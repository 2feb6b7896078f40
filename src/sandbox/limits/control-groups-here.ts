import { isRoot } from '../room/owner.js';
import type { ControlGroups } from './control-groups.js';
import { controlGroupsV1 } from './control-groups-v1.js';
import { controlGroupsV2 } from './control-groups-v2.js';

/** Those of the newer version where we may make any, else of the older; null where the kernel lets us make none. */
export const controlGroupsHere = async (): Promise<ControlGroups | null> =>
  (await controlGroupsV2()) ?? (isRoot() ? controlGroupsV1() : null);
