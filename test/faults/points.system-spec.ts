// needs: database

import { tryAll } from '../support/faults/points/try-all.js';
import { nameOf } from '../support/faults/points/verb.js';
import { verbs } from '../support/operations/operations.js';

/** A sample of the faults that `npm run faults` injects: every 80th one, for some operations in each area. */
const EVERY = 80;
const NAMES = [
  'POST /v1/deploy (a new site of somebody’s)',
  'POST /v1/auth/verify',
  'POST /v1/invites/accept',
  'POST /v1/sites/{slug}/rename',
  'PUT /v1/sites/{slug}/secrets/{name} (another value)',
  'POST /v1/auth/cli/exchange (by a ticket)',
  'POST /v1/connector/result/{id} (the whole)',
  'DELETE /v1/me',
];

let seen = 0;
tryAll(
  'sample',
  verbs.filter((verb) => NAMES.includes(nameOf(verb))),
  (faults) => faults.filter(() => seen++ % EVERY === 0),
);
