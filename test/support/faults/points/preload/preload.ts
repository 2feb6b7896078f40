// Preloaded into a service that is not bundled: each durable step of the code can end the process, or fail, and says that
// it was reached. What the steps are is in the file that STELE_TEST_STEPS names (`steps-in-code.ts`); at the socket
// STELE_TEST_FAULT_POINTS a test says what happens. Nothing of this is in the product.

import { syncBuiltinESMExports } from 'node:module';
import './hooked-statements.ts';
import './hooked-files.ts';
import './hooked-requests.ts';
import { listen } from './control-socket.ts';

// What imports a function of Node's by its name gets the hooked one.
syncBuiltinESMExports();
listen(process.env.STELE_TEST_FAULT_POINTS ?? '');
