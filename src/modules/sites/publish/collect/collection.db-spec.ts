import { hash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { deploy, PacksUnderTest } from '../../../../../test/support/content/packs.js';
import { ProjectionProcesses } from '../../../../../test/support/database/projection-processes.js';
import { created, deployed, server } from '../../../../../test/support/events/site-examples.js';
import { SiteDeleted } from '../../../../events/site/settings.events.js';
import { SiteDeployed, siteStream } from '../../../../events/site/site.events.js';
import { DeployRow } from '../../../../projections/models/deploy.projection.js';
import { encodeManifest } from '../../../../storage/blobs/manifest.js';
import { cleanTable, createTable } from '../../../../storage/tables/table.js';
import { PendingUploadStore, pendingUploadsTable } from '../pending-upload/pending-uploads.js';
import { Collection } from './collection.js';

const sha = (content: Uint8Array) => hash('sha256', content);

describe('The collector', () => {
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

  it('keeps the image of a server deploy, and does not read it as a list of files', async () => {
    const image = Buffer.from('an image');
    const blobs = await packs.store();
    await deploy(blobs, image);
    const made = SiteDeployed({ ...server(1).data, manifest: sha(image) });
    await keeping.store.write(siteStream('site_1'), created, made);
    const { db, checkpoints, keep } = await keeping.process();
    await keep();

    await createTable(packs.pool, pendingUploadsTable);
    const held = new PendingUploadStore(packs.pool);
    packs.pass(48);
    const collection = new Collection(blobs, keeping.store, checkpoints, held, db.getRepository(DeployRow));
    expect(await collection.collect()).toMatchObject({ blobs: 0 });
    expect(await blobs.read(sha(image))).toEqual(image);
  });

  it('keeps a job’s deploy and provenance statement until the site is deleted', async () => {
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
    await createTable(packs.pool, pendingUploadsTable);
    const held = new PendingUploadStore(packs.pool);
    const collection = new Collection(blobs, keeping.store, checkpoints, held, db.getRepository(DeployRow));
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

  it('keeps complete and partial pending uploads until they expire', async () => {
    const [whole, part] = [Buffer.from('whole'), Buffer.from('a part')];
    const contents = [whole, part, Buffer.from('of nobody')];
    const blobs = await packs.store();
    await deploy(blobs, ...contents);
    await createTable(packs.pool, pendingUploadsTable);
    const held = new PendingUploadStore(packs.pool);
    const limits = { files: 10, bytes: 1_000 };
    const first = await held.begin('token a', sha(whole), 5, limits);
    const second = await held.begin('token a', sha(Buffer.from('a part and more')), 15, limits);
    if (!first || !second) throw new Error('There is room for both.');
    expect(await held.complete(first)).toBe(true);
    expect(await held.add(second, 0, sha(part), 6)).toBe(true);
    const { db, checkpoints, keep } = await keeping.process();
    await keep();
    const collection = new Collection(blobs, keeping.store, checkpoints, held, db.getRepository(DeployRow));

    packs.pass(48);
    expect(await collection.collect()).toMatchObject({ blobs: 1 });
    expect((await blobs.touch(contents.map(sha))).size).toBe(2);

    await packs.pool.query("update held_uploads set expires_at = now() - interval '1 s'");
    await packs.pool.query("update held_parts set expires_at = now() - interval '1 s'");
    await cleanTable(packs.pool, pendingUploadsTable);
    packs.pass(48);
    expect(await collection.collect()).toMatchObject({ blobs: 2 });
    expect((await packs.pool.query('select from held_uploads')).rowCount).toBe(0);
  });
});
