import type { NamedVerb } from '../faults/points/verb.js';
import { about } from './about.js';
import { deploying } from './deploying.js';
import { domains } from './domains.js';
import { generating } from './generating.js';
import { lettingIn } from './letting-in.js';
import { type Operation, sendOperation } from './operation.js';
import { people } from './people.js';
import { servers } from './servers.js';
import { sites } from './sites.js';
import { visiting } from './visiting.js';
import { work } from './work.js';

/** All operations in `/openapi.json`, and some other requests that change something. */
export const operations: readonly Operation[] = [
  ...deploying,
  ...sites,
  ...people,
  ...lettingIn,
  ...servers,
  ...work,
  ...domains,
  ...generating,
  ...visiting,
  ...about,
];

/** Returns the verbs of these operations. A verb without `ask` sends the request of its operation. */
export const listVerbs = (of: readonly Operation[]): readonly NamedVerb[] =>
  of.flatMap((operation) =>
    (operation.verbs ?? []).map(
      (verb): NamedVerb => ({
        ask: ({ api }, { mark, by = {}, slug = '', deployId = '' }) =>
          sendOperation(api, operation, { slug, deployId, visibility: 'public', jobId: '', once: mark }, by),
        ...verb,
        operation: operation.operation,
      }),
    ),
  );

export const verbs = listVerbs(operations);
