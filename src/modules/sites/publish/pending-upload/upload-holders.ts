import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Repository } from 'typeorm';
import { readCaller } from '../../../../edge/http/auth/context.js';
import { type Caller, sameDigest } from '../../../../kernel/command-context.js';
import { refuse } from '../../../../kernel/refusal.js';
import type { Delegation } from '../../../../kernel/rights/delegation.js';
import { SiteRow } from '../../../../projections/models/site.projection.js';
import type { FoundSite } from '../../site/site-directory.js';
import { formatHolder } from './pending-uploads.js';

/** The site that an edit token belongs to is cached for this long, because a client may upload thousands of files. */
const KNOWN_MS = 30_000;

@Injectable()
export class UploadHolders {
  readonly #sites = new LRUCache<string, string>({ max: 1_000, ttl: KNOWN_MS });

  constructor(@InjectRepository(SiteRow) private readonly sites: Repository<SiteRow>) {}

  /**
   * Returns the holder of an upload: the user or the app that acts for them, otherwise the holder of the site's edit
   * token, otherwise the holder of the upload token. Refuses with `unauthenticated` if the request has none of these,
   * or an edit token that belongs to no site.
   */
  async of(request: FastifyRequest): Promise<string> {
    const { userId, editTokenHash, delegation } = readCaller(request);
    if (userId !== null) return holderOf(userId, delegation);
    if (editTokenHash !== null) return formatHolder.site(await this.#siteOf(editTokenHash));
    if (request.uploadTokenHash !== null) return formatHolder.token(request.uploadTokenHash);
    return refuse(
      'unauthenticated',
      'Sign in, or send an edit token in x-svc-edit-token or an upload token in x-svc-upload-token. POST /v1/cli/preflight returns an upload token as `uploadToken`.',
    );
  }

  async #siteOf(editTokenHash: string): Promise<string> {
    const known = this.#sites.get(editTokenHash);
    if (known !== undefined) return known;
    const site = await this.sites.findOneBy({ editTokenHash, status: 'live' });
    if (!site) return refuse('unauthenticated', 'This edit token does not belong to any site, or is no longer valid.');
    this.#sites.set(editTokenHash, site.siteId);
    return site.siteId;
  }
}

/** Returns the holders whose uploads a request can use in a deploy to this site or to a new site. */
export function listUploadHolders(
  request: FastifyRequest,
  { userId, editTokenHash, delegation }: Caller,
  site: FoundSite | null,
) {
  const { uploadTokenHash } = request;
  const ofSite = site?.state.status === 'live' ? site.state.editTokenHash : null;
  return [
    ...(userId === null ? [] : [holderOf(userId, delegation)]),
    ...(site && editTokenHash !== null && ofSite !== null && sameDigest(ofSite, editTokenHash)
      ? [formatHolder.site(site.siteId)]
      : []),
    ...(uploadTokenHash === null ? [] : [formatHolder.token(uploadTokenHash)]),
  ];
}

const holderOf = (userId: string, delegation: Delegation | undefined) =>
  delegation?.memberIds ? formatHolder.program(userId, delegation.id) : formatHolder.person(userId);
