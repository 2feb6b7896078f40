// needs: database

import { expect, it } from '@jest/globals';
import { sendThroughKills } from '../../support/content/killed-uploads.js';
import { temporaryFolder } from '../../support/service/stele.js';

it('uploads resume after crashes of the service, and no received data is lost', async () => {
  const { folder, remove } = await temporaryFolder('killed-uploads');
  try {
    const outcome = await sendThroughKills({ folder, mebibytes: 64, files: 60, kills: 3 });
    expect(outcome).toMatchObject({ kills: 3, lost: 0, forgotten: 0, isWhole: true });
    expect(outcome.offsets).toEqual([...outcome.offsets].sort((a, b) => a - b));
  } finally {
    await remove();
  }
}, 180_000);
