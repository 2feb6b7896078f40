// needs: database, git
// only: points

import { tryAll } from '../../support/faults/points/try-all.js';
import { deploying } from '../../support/faults/verbs/deploying.js';

tryAll('deploying', deploying);
