import { build, isBuilt } from './build.mjs';
import { areClientsReady, setUpClients } from './clients.mjs';
import { InterruptedError, SetUpError } from './error.mjs';
import { install, isInstalled } from './install.mjs';
import { locked } from './lock.mjs';

const refusals = {
  EACCES: 'This checkout belongs to another user or is not writable',
  EPERM: 'This checkout belongs to another user or is not writable',
  EROFS: 'This checkout is on a read-only file system',
  ENOSPC: 'The disk with this checkout is full',
};

/**
 * Installs and builds everything that a start or (with `tests`) the tests need. Resolves with the exit status. Takes
 * about 20 ms if nothing is missing.
 */
export async function setUp({ build: wantsBuild, tests }) {
  const needsClients = wantsBuild || tests;
  const isReady = () =>
    isInstalled({ tests }) && (!wantsBuild || isBuilt()) && (!needsClients || areClientsReady({ tests }));
  if (isReady()) return 0;
  try {
    // Checks again under the lock, because the previous owner may have done everything.
    await locked(async () => {
      if (!isInstalled({ tests })) await install({ tests });
      if (wantsBuild && !isBuilt()) await build();
      if (needsClients && !areClientsReady({ tests })) await setUpClients({ tests });
    });
    return 0;
  } catch (error) {
    if (error instanceof InterruptedError) {
      console.error(`\n${error.message}`);
      return 130;
    }
    if (error instanceof SetUpError) console.error(error.message);
    else if (error.code in refusals) console.error(`${refusals[error.code]} (${error.path ?? error.message}).`);
    else throw error;
    return 1;
  }
}
