// needs: database, git
// only: points

import { tryAll } from '../../support/faults/points/try-all.js';
import { programs } from '../../support/faults/verbs/programs.js';

tryAll('programs', programs);
