// needs: database, git
// only: points

import { tryAll } from '../../support/faults/points/try-all.js';
import { lettingIn } from '../../support/faults/verbs/letting-in.js';

tryAll('letting-in', lettingIn);
