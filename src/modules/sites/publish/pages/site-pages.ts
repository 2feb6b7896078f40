import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { refuseInvalid } from '../../../../kernel/faults/schema-faults.js';
import { isId } from '../../../../kernel/ids.js';
import { formatBytes } from '../../../../kernel/output/quantities.js';
import { type MadePage, PagePublishing } from '../../../../kernel/ports/page-publishing.js';
import { Refusal, refuse } from '../../../../kernel/refusal.js';
import { DeployRow } from '../../../../projections/models/deploy.projection.js';
import { SiteRow } from '../../../../projections/models/site.projection.js';
import { BlobStore } from '../../../../storage/blobs/blob-store.js';
import { DeployReader } from '../../site/deploy-reader.js';
import { SiteReader } from '../../site/site-reader.js';
import { type DeployOptions, Publishing } from '../deploy/publishing.js';
import { validSlug } from '../slugs/slug-name.js';

/** Sites as those see them who make pages. */
@Injectable()
export class SitePages extends PagePublishing {
  constructor(
    @Inject(Publishing) private readonly publishing: Publishing,
    @Inject(SiteReader) private readonly sites: SiteReader,
    @Inject(DeployReader) private readonly deploys: DeployReader,
    @Inject(BlobStore) private readonly blobs: BlobStore,
    @InjectRepository(DeployRow) private readonly deployRows: Repository<DeployRow>,
    @InjectRepository(SiteRow) private readonly siteRows: Repository<SiteRow>,
  ) {
    super();
  }

  override async assertCanPublish(context: CommandContext, slug: string | null): Promise<void> {
    const write = this.#writeOf(context, { html: '', slug, message: '' });
    await write.check(write.makeIds(), 'first');
  }

  override async publish(context: CommandContext, page: MadePage) {
    const write = this.#writeOf(context, page);
    const ids = write.makeIds();
    const to = await write.check(ids, 'first');
    const { prepared } = await write.prepare(to);
    const { body, headers } = await write.execute(ids, to, prepared);
    const { etag, ...others } = headers;
    // What is answered is not the site, whose ETag this is.
    return { body, headers: { ...others, ...(etag !== undefined && { 'stele-revision': etag.slice(1, -1) }) } };
  }

  override async pageOf({ caller }: CommandContext, deployId: string, mostBytes: number): Promise<string> {
    const deploy = isId('dep', deployId) ? await this.deployRows.findOneBy({ deployId }) : null;
    const site = deploy && (await this.siteRows.findOneBy({ siteId: deploy.siteId }));
    if (!deploy || !site) return refuse('deploy_not_found');
    await this.sites.getFor(site.slug, caller).catch((error: unknown) => {
      const isHidden = error instanceof Refusal && error.code === 'site_not_found';
      throw isHidden ? new Refusal('deploy_not_found') : error;
    });
    if (deploy.program !== null) return refuseBase('must be a deploy that serves files, not one that runs a server');
    const page = (await this.deploys.manifestOf(deploy)).files.get('index.html');
    if (!page) return refuseBase('must be a deploy with an index.html');
    if (page.size > mostBytes)
      return refuseBase(`must be a deploy whose index.html has at most ${formatBytes(mostBytes)}`);
    const text = (await this.blobs.read(page.sha256)).toString('utf8');
    return text.includes('\0') || text.includes('\ufffd')
      ? refuseBase('must be a deploy whose index.html is UTF-8 text')
      : text;
  }

  #writeOf(context: CommandContext, { html, slug, message }: MadePage) {
    if (slug !== null) validSlug(slug);
    return this.publishing.post({ page: html }, context, slug, { ...OPTIONS, message });
  }
}

const OPTIONS: Omit<DeployOptions, 'message'> = {
  source: 'code',
  publish: true,
  merge: false,
  expiresAt: () => null,
  ifRevision: null,
};

const refuseBase = (message: string): never => refuseInvalid({ path: 'base', message });
