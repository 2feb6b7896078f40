import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CONVENTIONS, renderLostUpdates } from '../../../tools/reference/lost-updates.js';
import { codesIn, type ErrorCode, renderReference } from '../../../tools/reference/reference.js';
import { operations } from '../../support/operations/operations.js';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';

describe('Documentation that is generated from the OpenAPI document', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;

  beforeAll(async () => {
    temporary = await temporaryFolder('reference');
    stele = await sharedStele({ folder: temporary.folder });
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  it('docs/interface/reference.md matches the OpenAPI document (`npm run reference` writes it)', async () => {
    const { body: document } = await stele.api.get('/openapi.json').expect(200);
    const errors: ErrorCode[] = [];
    for (const code of codesIn(document)) errors.push((await stele.api.get(`/errors/${code}`).expect(200)).body);
    expect(await readFile('docs/interface/reference.md', 'utf8')).toBe(renderReference(document, errors));
  });

  it('the table “Lost updates” matches the OpenAPI document (`npm run reference` writes it)', async () => {
    const { body: document } = await stele.api.get('/openapi.json').expect(200);
    const page = await readFile(CONVENTIONS, 'utf8');
    expect(page).toBe(renderLostUpdates(page, document));
  });

  it('the OpenAPI document lists the edit token for exactly the site operations that accept it', async () => {
    const { body: document } = await stele.api.get('/openapi.json').expect(200);
    const listed: string[] = [];
    const accepted: string[] = [];
    for (const { operation, statuses } of operations) {
      if (statuses === undefined) continue;
      const [method = '', path = ''] = operation.split(' ');
      const [, , , , owner, token] = statuses;
      // Skips operations that refuse even owners, because their statuses do not show which credentials they accept.
      if (!path.startsWith('/v1/sites/') || owner === 403) continue;
      const security: object[] = document.paths[path][method.toLowerCase()].security;
      if (security.length === 0) continue;
      if (security.some((scheme) => 'editToken' in scheme)) listed.push(operation);
      if (token !== 403) accepted.push(operation);
    }
    expect(listed).toEqual(accepted);
    expect(listed.length).toBeGreaterThan(20);
  });
});
