// needs: database, git
// only: points

import { tryAll } from '../../support/faults/points/try-all.js';
import { listVerbs } from '../../support/operations/operations.js';
import { work } from '../../support/operations/work.js';

tryAll('work', listVerbs(work));
