import { Injectable } from '@nestjs/common';
import type { Caller, CommandContext } from '../../../kernel/command-context.js';
import type { DelegatedRole } from '../../../kernel/rights/delegation.js';
import { canUseToken } from '../settings/connector/connector-token.decide.js';
import { assertCanEdit, assertCanManage, assertCanRead, assertIsOwner, findRole } from '../site/assert-access.rule.js';
import type { KnownDomain } from '../site/domains.state.js';
import type { LiveSite, Site } from '../site/site.state.js';
import { SiteDirectory } from '../site/site-directory.js';

/** The view of a site that other modules get. */
export type SiteView = {
  readonly siteId: string;
  readonly slug: string;
  /** User IDs. */
  readonly owners: readonly string[];
  /** Whether a password for visitors is set. */
  readonly hasPassword: boolean;
  /** Whether the capability `analytics` is on, so that visits are counted. */
  readonly countsVisits: boolean;
  /** Last recorded state of each hostname, including hostnames that the site no longer has. */
  readonly domains: Readonly<Record<string, KnownDomain>>;
};

/**
 * Decides for other modules who can see, read, edit and own a site. Reads the log, so that a change applies at once in
 * every process. Refuses as `assert-access.rule.ts` does, in the same way for missing and hidden sites.
 */
@Injectable()
export class SiteAccess {
  constructor(private readonly directory: SiteDirectory) {}

  /** Returns the site with this slug. Refuses a caller who has neither a role on the site nor its edit token. */
  getReadable(slug: string, context: CommandContext): Promise<SiteView> {
    return this.#get(slug, context, assertCanRead);
  }

  /** Returns the site with this slug. Refuses a caller who is not an owner. */
  getOwned(slug: string, context: CommandContext): Promise<SiteView> {
    return this.#get(slug, context, assertIsOwner);
  }

  /** Returns the site with this slug. Refuses a caller who is not an owner, and access tokens. */
  getManaged(slug: string, context: CommandContext): Promise<SiteView> {
    return this.#get(slug, context, assertCanManage);
  }

  /** Returns null if the site has expired, was deleted or never existed. */
  async find(siteId: string): Promise<SiteView | null> {
    const state = await this.#stateOf(siteId);
    return state.status === 'live' ? viewSite(siteId, state) : null;
  }

  /** Refuses a caller who can no longer read the site. Returns their role; null if they have only the edit token. */
  async assertCanRead(siteId: string, caller: Caller): Promise<DelegatedRole | null> {
    const live = assertCanRead(await this.#stateOf(siteId), { caller, at: new Date().toISOString() });
    return findRole(live, caller);
  }

  /** Refuses a caller who cannot deploy the site as it is now. */
  async assertCanEdit(siteId: string, context: CommandContext): Promise<void> {
    assertCanEdit(await this.#stateOf(siteId), context);
  }

  /** Whether the connector token has not been revoked and its creator is still an owner of the site. */
  async canUseConnectorToken(siteId: string, tokenId: string): Promise<boolean> {
    return canUseToken(await this.#stateOf(siteId), tokenId);
  }

  async #get(slug: string, context: CommandContext, assertAccess: typeof assertCanRead): Promise<SiteView> {
    const { siteId, state } = await this.directory.get(slug, context.at);
    return viewSite(siteId, assertAccess(state, context));
  }

  async #stateOf(siteId: string): Promise<Site> {
    return (await this.directory.stateOf(siteId)).state;
  }
}

function viewSite(siteId: string, { slug, passwordId, owners, capabilities, domains }: LiveSite): SiteView {
  const countsVisits = capabilities.analytics?.enabled ?? false;
  return { siteId, slug, owners, hasPassword: passwordId !== null, countsVisits, domains };
}
