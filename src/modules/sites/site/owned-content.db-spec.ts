import { hash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { deploy, naming, PacksUnderTest } from '../../../../test/support/content/packs.js';
import { created } from '../../../../test/support/events/site-examples.js';
import { MemorySnapshots, MemoryStore } from '../../../../test/support/eventstore/memory-store.js';
import { RandomIds } from '../../../adapters/random-ids.js';
import { SiteDeployed, SiteRolledBack, siteStream } from '../../../events/site/site.events.js';
import { Transactions } from '../../../kernel/transactions.js';
import { encodeManifest } from '../../../storage/blobs/manifest.js';
import { OwnedContent } from './owned-content.js';

const sha = (content: string) => hash('sha256', content);

describe('The content of a site', () => {
  let packs: PacksUnderTest;
  let blobs: Awaited<ReturnType<PacksUnderTest['store']>>;
  let log: MemoryStore;
  let owned: OwnedContent;

  beforeEach(async () => {
    packs = await PacksUnderTest.open();
    blobs = await packs.store();
    log = new MemoryStore();
    owned = new OwnedContent(new Transactions(log, new MemorySnapshots(), new RandomIds()), blobs);
    for (const siteId of ['site_mine', 'site_other']) await log.write(siteStream(siteId), created);
  });
  afterEach(() => packs.close());

  let deploys = 0;

  async function deployed(siteId: string, ...contents: string[]) {
    const files = contents.map((content, n) => ({ path: `${n}`, sha256: sha(content), size: content.length }));
    const { digest, text } = encodeManifest(files);
    await deploy(blobs, ...contents.map((content) => Buffer.from(content)), text);
    const deployId = `dep_${++deploys}`;
    await log.write(
      siteStream(siteId),
      SiteDeployed({
        deployId,
        number: deploys,
        manifest: digest,
        files: files.length,
        bytes: 1,
        source: 'upload',
        jobId: null,
        commit: null,
        provenance: null,
        program: null,
        trusted: null,
        client: null,
        message: null,
        replaced: null,
      }),
    );
    return { deployId, manifest: digest, program: null };
  }

  const ask = async (siteId: string, ...contents: string[]) => {
    const found = await owned.of(siteId, contents.map(sha), {});
    return Object.fromEntries(
      contents.flatMap((content) => (found.has(sha(content)) ? [[content, found.get(sha(content))]] : [])),
    );
  };

  it('a site’s content includes the content of every deploy, live or not, with its size', async () => {
    const first = await deployed('site_mine', 'one', 'both');
    await deployed('site_mine', 'twotwo', 'both');
    expect(await ask('site_mine', 'one', 'twotwo', 'both', 'never')).toEqual({ one: 3, twotwo: 6, both: 4 });

    await log.write(
      siteStream('site_mine'),
      SiteRolledBack({ ...first, number: 1, replaced: 'dep_2', rollbackId: 'rbk_1', trusted: false }),
    );
    expect(await ask('site_mine', 'twotwo')).toEqual({ twotwo: 6 });
  });

  it('a site’s content does not include content that only another site has', async () => {
    await deployed('site_mine', 'mine');
    await deployed('site_other', 'theirs');
    expect(await ask('site_mine', 'mine', 'theirs')).toEqual({ mine: 4 });
    expect(await ask('site_unknown', 'mine', 'theirs')).toEqual({});
  });

  it('nothing is found for invalid digests', async () => {
    await deployed('site_mine', 'mine');
    const nonsense = ['', 'x', sha('mine').toUpperCase(), `${sha('mine')}0`, '../../etc/passwd', '\0', '__proto__'];
    expect(await owned.of('site_mine', nonsense, {})).toEqual(new Map());
  });

  it('content is found as soon as it is deployed', async () => {
    await deployed('site_mine', 'one');
    expect(await ask('site_mine', 'two')).toEqual({});
    await deployed('site_mine', 'two');
    expect(await ask('site_mine', 'two')).toEqual({ two: 3 });
  });

  it('looking up content keeps a site’s own content for another day, but not the content of other sites', async () => {
    await deployed('site_mine', 'mine');
    await deployed('site_other', 'theirs');
    packs.pass(30);
    await ask('site_mine', 'mine', 'theirs');
    await blobs.collect(naming());
    expect([...(await blobs.touch([sha('mine'), sha('theirs')])).keys()]).toEqual([sha('mine')]);
  });

  it('content that is no longer stored is not found, even if the manifest itself is missing', async () => {
    const { manifest } = await deployed('site_mine', 'old');
    packs.pass(30);
    await blobs.collect(naming(manifest));
    expect(await ask('site_mine', 'old')).toEqual({});

    await blobs.collect(naming());
    await deployed('site_mine', 'new');
    expect(await ask('site_mine', 'old', 'new')).toEqual({ new: 3 });
  });

  it('deploys are searched only as far back as necessary, and identical deploys only once', async () => {
    await deployed('site_mine', 'old');
    for (let n = 0; n < 3; n++) await deployed('site_mine', 'same');
    const looked: string[] = [];
    const read = blobs.read.bind(blobs);
    blobs.read = (sha256) => {
      looked.push(sha256);
      return read(sha256);
    };
    await ask('site_mine', 'same');
    expect(looked).toHaveLength(1);
    await ask('site_mine', 'old');
    expect(looked).toHaveLength(3);
  });
});
