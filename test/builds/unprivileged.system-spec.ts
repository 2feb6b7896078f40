// needs: database, git, bubblewrap

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readNames } from '../support/content/changing-folder.js';
import { BuildingService } from '../support/sites/building-service.js';
import { locked } from './locked-projects.js';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

const MIB = 1_048_576;

/** A command that leaves files which even the build's own user can neither read nor remove. */
const CLOSING = `mkdir -p closed/deep dist/shut && echo x > closed/deep/x && echo x > dist/shut/x && echo x > dist/secret
chmod 500 closed/deep && chmod 000 closed dist/shut && chmod 200 dist/secret`;

describe('A service that does not run as root', () => {
  let service: BuildingService;
  beforeAll(async () => {
    service = await BuildingService.start({ STELE_BUILD_MEMORY: String(512 * MIB) }, isRoot ? NOBODY : undefined);
  }, 60_000);
  afterAll(() => service?.stop());

  const roomsLeft = async () => {
    const folder = join(service.stele.folder, 'builds/rooms');
    const processes = (await readNames(folder)).filter((name) => !name.endsWith('.sock'));
    return (await Promise.all(processes.map((name) => readNames(join(folder, name))))).flat();
  };

  it('sites are built in bubblewrap, and unreadable build files are skipped, then removed', async () => {
    const scripts = { build: `id -u && node make.cjs && sh closing.sh` };
    const tree = { ...locked.npm({ scripts }), 'closing.sh': CLOSING };
    const { job, lines, site } = await service.build('unprivileged', tree);
    expect({ job, lines }).toMatchObject({ job: { status: 'succeeded' } });
    expect(lines).toEqual(expect.arrayContaining(['1000', 'Skipped secret: it is not a regular file']));
    expect((await site().expect(200)).text).toContain('172800000 by npm');
    await site('/secret').expect(404);
    expect(await roomsLeft()).toEqual([]);
    const { body: health } = await service.stele.api.get('/health').expect(200);
    expect(health.checks.builder).toEqual({ engine: 'bubblewrap' });
  }, 60_000);

  it('the limits of a build are enforced by polling its usage, and the error states the limit', async () => {
    const hog =
      'node -e "const all = Array.from({ length: 60 }, () => Buffer.alloc(1e7, 1)); setTimeout(() => all, 6e4)"';
    const { job } = await service.build('hog', {
      'package.json': JSON.stringify({ private: true, scripts: { build: hog } }),
    });
    expect(job).toMatchObject({
      status: 'failed',
      error: { code: 'build_failed', message: '“npm run build” reached the limit of 512 MiB of memory.' },
    });
    expect(await roomsLeft()).toEqual([]);
  }, 60_000);
});
