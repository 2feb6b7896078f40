// needs: database
// only: killed-uploads

import { expect, it } from '@jest/globals';
import { kernelBuffers, sendThroughKills } from '../../support/content/killed-uploads.js';
import { temporaryFolder } from '../../support/service/stele.js';

const MEBIBYTE = 1_048_576;

it('uploads of 500 MiB and of 2,000 files survive ten crashes of the service, and no received data is resent', async () => {
  const { folder, remove } = await temporaryFolder('killed-uploads');
  try {
    const outcome = await sendThroughKills({ folder, mebibytes: 500, files: 2_000, kills: 10 });
    const { sent, again, filesSent, memory, offsets, refused } = outcome;
    process.stdout.write(
      `500 MiB: ${(sent / MEBIBYTE).toFixed(0)} MiB written, from ${offsets.map((at) => (at / MEBIBYTE).toFixed(0)).join(', ')} MiB on, ${(again / MEBIBYTE).toFixed(0)} MiB at most again; ` +
        `2,000 files: ${filesSent} sent; at most ${(memory / MEBIBYTE).toFixed(0)} MiB of memory${refused.length > 0 ? `; refused: ${refused.join(', ')}` : ''}\n`,
    );
    expect(outcome).toMatchObject({ kills: 10, lost: 0, forgotten: 0, refused: [], isWhole: true });
    // After a kill, a client repeats at most an incomplete part and the bytes that the service had not read yet.
    expect(again).toBeLessThanOrEqual(9 * MEBIBYTE + (await kernelBuffers()));
    expect(sent).toBeLessThanOrEqual(500 * MEBIBYTE + 10 * again);
    expect(offsets).toEqual([...offsets].sort((a, b) => a - b));
    expect(memory).toBeLessThan(400 * MEBIBYTE);
  } finally {
    await remove();
  }
}, 600_000);
