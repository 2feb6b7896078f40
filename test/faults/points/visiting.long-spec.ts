// needs: database, git
// only: points

import { tryAll } from '../../support/faults/points/try-all.js';
import { listVerbs } from '../../support/operations/operations.js';
import { visiting } from '../../support/operations/visiting.js';

tryAll('visiting', listVerbs(visiting));
