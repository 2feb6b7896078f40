// `npm run reference` generates docs/interface/reference.md, the table under "Lost updates" in
// docs/interface/conventions.md, and clients/api/src/openapi.ts from the OpenAPI description of the built service.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnService } from '../../test/support/service/spawned-service.js';
import { renderClientTypes } from './client-types.ts';
import { CONVENTIONS, renderLostUpdates } from './lost-updates.ts';
import { codesIn, type ErrorCode, type OpenApi, renderReference } from './reference.ts';

const folder = await mkdtemp(join(tmpdir(), 'stele-reference-'));
const service = await spawnService([process.execPath, 'dist/bundled/start.js'], {
  env: { STELE_DATA: folder, STELE_STATUS_PROBES: 'off', STELE_DNS_SERVERS: '127.0.0.1' },
});

const read = async <Body>(path: string): Promise<Body> => {
  const response = await fetch(`http://127.0.0.1:${service.port}${path}`);
  if (!response.ok) throw new Error(`GET ${path}: ${response.status}`);
  return JSON.parse(await response.text());
};

try {
  const document = await read<OpenApi>('/openapi.json');
  const errors = await Promise.all(codesIn(document).map((code) => read<ErrorCode>(`/errors/${code}`)));
  await writeFile('docs/interface/reference.md', renderReference(document, errors));
  await writeFile(CONVENTIONS, renderLostUpdates(await readFile(CONVENTIONS, 'utf8'), document));
  await writeFile('clients/api/src/openapi.ts', renderClientTypes(JSON.stringify(document)));
} finally {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
}
