// needs: database, git
// only: points

import { tryAll } from '../../support/faults/points/try-all.js';
import { work } from '../../support/faults/verbs/work.js';

tryAll('work', work);
