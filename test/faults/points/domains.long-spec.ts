// needs: database, git
// only: points

import { tryAll } from '../../support/faults/points/try-all.js';
import { domains } from '../../support/faults/verbs/domains.js';

tryAll('domains', domains);
