import { stopPostgres } from './shared-postgres.js';

export default async function tearDown() {
  try {
    await globalThis.endSharedFleet?.();
  } finally {
    await stopPostgres();
  }
}
