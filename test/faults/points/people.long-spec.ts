// needs: database, git
// only: points

import { tryAll } from '../../support/faults/points/try-all.js';
import { people } from '../../support/faults/verbs/people.js';

tryAll('people', people);
