// needs: database, git
// only: points

import { tryAll } from '../../support/faults/points/try-all.js';
import { visiting } from '../../support/faults/verbs/visiting.js';

tryAll('visiting', visiting);
