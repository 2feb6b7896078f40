// needs: database, git
// only: points

import { tryAll } from '../../support/faults/points/try-all.js';
import { listVerbs } from '../../support/operations/operations.js';
import { servers } from '../../support/operations/servers.js';

tryAll('programs', listVerbs(servers));
