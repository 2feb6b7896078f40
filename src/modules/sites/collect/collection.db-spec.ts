import { hash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { deploy, PacksUnderTest } from '../../../../test/support/content/packs.js';
import { ProjectionProcesses } from '../../../../test/support/database/projection-processes.js';
import { created, deployed, server } from '../../../../test/support/events/site-examples.js';
import { encodeManifest } from '../../../blobs/manifest.js';
import { SiteDeleted } from '../../../events/site/settings.events.js';
import { SiteDeployed, siteStream } from '../../../events/site/site.events.js';
import { DeployRow } from '../../../projections/models/deploy.projection.js';
import { Collection } from './collection.js';

const sha = (content: Uint8Array) => hash('sha256', content);

describe('The content of a deploy that a job made', () => {
  let packs: PacksUnderTest;
  let keeping: ProjectionProcesses;
  beforeEach(async () => {
    packs = await PacksUnderTest.open();
    keeping = await ProjectionProcesses.open();
  });
  afterEach(async () => {
    await keeping.close();
    await packs.close();
  });

  it('that runs is one content, and no list of others', async () => {
    const image = Buffer.from('an image');
    const blobs = await packs.store();
    await deploy(blobs, image);
    const made = SiteDeployed({ ...server(1).data, manifest: sha(image) });
    await keeping.store.write(siteStream('site_1'), created, made);
    const { db, checkpoints, keep } = await keeping.process();
    await keep();

    packs.pass(48);
    const collection = new Collection(blobs, keeping.store, checkpoints, db.getRepository(DeployRow));
    expect(await collection.collect()).toMatchObject({ blobs: 0 });
    expect(await blobs.read(sha(image))).toEqual(image);
  });

  it('stays for as long as its site does, what was stated of it too, and goes with the site', async () => {
    const page = Buffer.from('<h1>Made</h1>');
    const stated = Buffer.from('{"payload":"…"}');
    const stray = Buffer.from('of no deploy');
    const { digest, text } = encodeManifest([{ path: 'index.html', sha256: sha(page), size: page.length }]);
    const contents = [page, text, stated];
    const blobs = await packs.store();
    await deploy(blobs, ...contents, stray);
    const stream = siteStream('site_1');
    const made = SiteDeployed({ ...deployed(1).data, manifest: digest, provenance: sha(stated) });
    await keeping.store.write(stream, created, made);
    const { db, checkpoints, keep } = await keeping.process();
    await keep();
    const collection = new Collection(blobs, keeping.store, checkpoints, db.getRepository(DeployRow));
    const kept = async () => (await blobs.touch([...contents, stray].map(sha))).size;

    packs.pass(48);
    expect(await collection.collect()).toMatchObject({ blobs: 1 });
    expect(await kept()).toBe(3);
    expect(await blobs.read(sha(stated))).toEqual(stated);

    await keeping.store.write(stream, SiteDeleted({}));
    packs.pass(48);
    expect(await collection.collect()).toMatchObject({ blobs: 3 });
    expect(await kept()).toBe(0);
  });
});
