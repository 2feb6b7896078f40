// needs: database, git
// only: points

import { tryAll } from '../../support/faults/points/try-all.js';
import { generating } from '../../support/operations/generating.js';
import { listVerbs } from '../../support/operations/operations.js';

tryAll('generating', listVerbs(generating));
