// needs: database, git
// only: points

import { tryAll } from '../../support/faults/points/try-all.js';
import { listVerbs } from '../../support/operations/operations.js';
import { sites } from '../../support/operations/sites.js';

tryAll('sites', listVerbs(sites));
