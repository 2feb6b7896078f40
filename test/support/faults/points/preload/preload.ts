// Preloaded into a service that is not bundled: each durable step of the code reports that it was reached, and can fail
// or end the process. The file that STELE_TEST_STEPS names lists the steps (`steps-in-code.ts`); a test sets the faults
// through the socket STELE_TEST_FAULT_POINTS. The product contains none of this.

import { syncBuiltinESMExports } from 'node:module';
import './hooked-statements.ts';
import './hooked-files.ts';
import './hooked-requests.ts';
import { listen } from './control-socket.ts';

// Named imports of Node's functions get the hooked ones.
syncBuiltinESMExports();
listen(process.env.STELE_TEST_FAULT_POINTS ?? '');
