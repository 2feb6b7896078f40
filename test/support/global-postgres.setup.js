import { offerPostgres } from './global-postgres.js';
import './typescript-in-node.js';

export default async function setUp() {
  await offerPostgres();
  if (process.env.STELE_TEST_FLEET !== '1') return;
  const { offerFleet } = await import('./shared-fleet.ts');
  globalThis.endSharedFleet = await offerFleet();
}
