import type { Verb } from '../points/verb.js';
import { deploying } from './deploying.js';
import { domains } from './domains.js';
import { generating } from './generating.js';
import { lettingIn } from './letting-in.js';
import { people } from './people.js';
import { programs } from './programs.js';
import { sites } from './sites.js';
import { visiting } from './visiting.js';
import { work } from './work.js';

/** All operations that change something, from a caller's point of view. */
export const verbs: readonly Verb[] = [
  ...deploying,
  ...sites,
  ...people,
  ...lettingIn,
  ...programs,
  ...work,
  ...domains,
  ...generating,
  ...visiting,
];
