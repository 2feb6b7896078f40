import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import type { CommandContext } from '../../../kernel/command-context.js';
import { refuseInvalid } from '../../../kernel/faults/schema-faults.js';
import { isId } from '../../../kernel/ids.js';
import { formatBytes } from '../../../kernel/output/quantities.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import { DeployRow } from '../../../projections/models/deploy.projection.js';
import { SiteRow } from '../../../projections/models/site.projection.js';
import { BlobStore } from '../../../storage/blobs/blob-store.js';
import { type DeployOptions, DeployPublisher } from '../publish/deploy/deploy-publisher.js';
import { validSlug } from '../publish/slugs/slug-name.js';
import { DeployReader } from '../site/deploy-reader.js';
import { SiteReader } from '../site/site-reader.js';

/** A page made by this service, and its destination. */
export type MadePage = {
  readonly html: string;
  /** The slug of a new site, or of one that the caller can edit; null if the service chooses it. */
  readonly slug: string | null;
  /** Message of the deploy in the site’s history. */
  readonly message: string;
};

/** Deploys pages made by this service, and reads pages of deploys. */
@Injectable()
export class PageDeploys {
  constructor(
    private readonly publishing: DeployPublisher,
    private readonly sites: SiteReader,
    private readonly deploys: DeployReader,
    private readonly blobs: BlobStore,
    @InjectRepository(DeployRow) private readonly deployRows: Repository<DeployRow>,
    @InjectRepository(SiteRow) private readonly siteRows: Repository<SiteRow>,
  ) {}

  /** Makes the checks of `publish` before a page is made. Refuses with `slug_taken`, `invalid_slug` and so on. */
  async assertCanPublish(context: CommandContext, slug: string | null): Promise<void> {
    if (slug !== null) validSlug(slug);
    const options = { ...OPTIONS, message: null };
    await this.publishing.findDestination(context, slug, options, this.publishing.makeIds(context), 'first');
  }

  /**
   * Deploys the page like `POST /v1/deploy` with the page as its body. Returns the body and headers of that response.
   */
  async publish(context: CommandContext, { html, slug, message }: MadePage) {
    if (slug !== null) validSlug(slug);
    const ids = this.publishing.makeIds(context);
    const { body, headers } = await this.publishing.deploy(
      { page: html },
      context,
      slug,
      { ...OPTIONS, message },
      ids,
      'first',
    );
    const { etag, ...others } = headers;
    // This is the ETag of the site, and the response is not a representation of the site.
    return { body, headers: { ...others, ...(etag !== undefined && { 'stele-revision': etag.slice(1, -1) }) } };
  }

  /**
   * Returns the `index.html` of a deploy to a caller with a role on its site. Refuses with `deploy_not_found` (also if
   * the site is hidden from the caller), `forbidden`, or `invalid_request` if the file is missing, is not UTF-8 text or
   * is larger than `mostBytes`.
   */
  async readPage({ caller }: CommandContext, deployId: string, mostBytes: number): Promise<string> {
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
}

const OPTIONS: Omit<DeployOptions, 'message'> = {
  source: 'code',
  publish: true,
  merge: false,
  expiresAt: () => null,
  ifRevision: null,
};

const refuseBase = (message: string): never => refuseInvalid({ path: 'base', message });
