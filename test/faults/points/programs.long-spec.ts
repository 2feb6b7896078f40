// needs: database, git
// only: points

import { tryAll } from '../../support/faults/points/try-all.js';
import { listVerbs } from '../../support/operations/operations.js';
import { programs } from '../../support/operations/programs.js';

tryAll('programs', listVerbs(programs));
