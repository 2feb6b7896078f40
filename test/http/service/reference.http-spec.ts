import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { codesIn, type ErrorCode, renderReference } from '../../../tools/reference/reference.js';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';

describe('docs/interface/reference.md', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;

  beforeAll(async () => {
    temporary = await temporaryFolder('reference');
    stele = await sharedStele({ folder: temporary.folder });
  }, 60_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  it('the file matches the OpenAPI document (`npm run reference` writes it)', async () => {
    const { body: document } = await stele.api.get('/openapi.json').expect(200);
    const errors: ErrorCode[] = [];
    for (const code of codesIn(document)) errors.push((await stele.api.get(`/errors/${code}`).expect(200)).body);
    expect(await readFile('docs/interface/reference.md', 'utf8')).toBe(renderReference(document, errors));
  });
});
