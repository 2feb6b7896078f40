import { offerResources } from './shared-resources.js';
import './register-typescript.js';

export default async function setUp() {
  await offerResources();
  if (process.env.STELE_TEST_FLEET !== '1') return;
  const { offerFleet } = await import('../fleet/shared-fleet.ts');
  globalThis.endSharedFleet = await offerFleet();
}
