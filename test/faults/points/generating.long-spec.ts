// needs: database, git
// only: points

import { tryAll } from '../../support/faults/points/try-all.js';
import { generating } from '../../support/faults/verbs/generating.js';

tryAll('generating', generating);
