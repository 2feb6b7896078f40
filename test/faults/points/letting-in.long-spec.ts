// needs: database, git
// only: points

import { tryAll } from '../../support/faults/points/try-all.js';
import { lettingIn } from '../../support/operations/letting-in.js';
import { listVerbs } from '../../support/operations/operations.js';

tryAll('letting-in', listVerbs(lettingIn));
