// needs: database, git
// only: points

import { tryAll } from '../../support/faults/points/try-all.js';
import { listVerbs } from '../../support/operations/operations.js';
import { people } from '../../support/operations/people.js';

tryAll('people', listVerbs(people));
