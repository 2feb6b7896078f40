import { stopPostgres } from './global-postgres.js';

export default async function tearDown() {
  try {
    await globalThis.endSharedFleet?.();
  } finally {
    await stopPostgres();
  }
}
