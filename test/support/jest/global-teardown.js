import { stopResources } from './shared-resources.js';

export default async function tearDown() {
  try {
    await globalThis.endSharedFleet?.();
  } finally {
    await stopResources();
  }
}
