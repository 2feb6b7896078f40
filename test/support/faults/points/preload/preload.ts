// Preloaded into an unbundled service. Each durable step in the code reports that it was reached, and can fail or
// kill the process. The file at STELE_TEST_STEPS lists the steps (`steps-in-code.ts`), and a test sets faults through
// the socket at STELE_TEST_FAULT_POINTS. None of this is part of the product.

import { syncBuiltinESMExports } from 'node:module';
import './hooked-statements.ts';
import './hooked-files.ts';
import './hooked-requests.ts';
import { listen } from './control-socket.ts';

// Makes named imports of Node's functions refer to the hooked functions.
syncBuiltinESMExports();
listen(process.env.STELE_TEST_FAULT_POINTS ?? '');
