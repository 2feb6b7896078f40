// needs: database, git
// only: points

import { tryAll } from '../../support/faults/points/try-all.js';
import { domains } from '../../support/operations/domains.js';
import { listVerbs } from '../../support/operations/operations.js';

tryAll('domains', listVerbs(domains));
