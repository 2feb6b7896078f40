// needs: database, git
// only: points

import { tryAll } from '../../support/faults/points/try-all.js';
import { sites } from '../../support/faults/verbs/sites.js';

tryAll('sites', sites);
