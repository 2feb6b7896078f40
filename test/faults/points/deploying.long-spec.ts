// needs: database, git
// only: points

import { tryAll } from '../../support/faults/points/try-all.js';
import { deploying } from '../../support/operations/deploying.js';
import { listVerbs } from '../../support/operations/operations.js';

tryAll('deploying', listVerbs(deploying));
