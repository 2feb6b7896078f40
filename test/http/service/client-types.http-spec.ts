import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { renderClientTypes } from '../../../tools/reference/client-types.js';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';

describe('clients/api/src/openapi.ts', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;

  beforeAll(async () => {
    temporary = await temporaryFolder('client-types');
    stele = await sharedStele({ folder: temporary.folder });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  it('the generated types of the API client match the OpenAPI document (`npm run reference` writes them)', async () => {
    const { text: document } = await stele.api.get('/openapi.json').expect(200);
    expect(await readFile('clients/api/src/openapi.ts', 'utf8')).toBe(renderClientTypes(document));
  }, 120_000);
});
