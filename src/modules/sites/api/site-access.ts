import { Injectable } from '@nestjs/common';
import type { Caller, CommandContext } from '../../../kernel/command-context.js';
import type { DelegatedRole } from '../../../kernel/rights/delegation.js';
import { canUseToken } from '../settings/connector/connector-token.decide.js';
import { assertCanEdit, assertCanManage, assertCanRead, assertIsOwner, findRole } from '../site/assert-access.rule.js';
import { SiteDirectory } from '../site/site-directory.js';
import type { KnownDomain } from '../site/state/domains.state.js';
import type { LiveSite, Site } from '../site/state/site.state.js';

/** The data about a site that modules other than `sites` can see. */
export type SiteView = {
  readonly siteId: string;
  readonly slug: string;
  readonly owners: readonly string[];
  readonly hasPassword: boolean;
  /** Whether the `analytics` capability is on. */
  readonly countsVisits: boolean;
  /** Last recorded state of each hostname. Includes hostnames that were removed from the site. */
  readonly domains: Readonly<Record<string, KnownDomain>>;
};

/**
 * Decides for other modules who can see, read, edit and own a site. Reads the log, so that changes apply immediately in
 * every process. Refuses with the errors of `assert-access.rule.ts`; missing and hidden sites are indistinguishable.
 */
@Injectable()
export class SiteAccess {
  constructor(private readonly directory: SiteDirectory) {}

  /** Returns the site. Refuses a caller who has neither a role on it nor its edit token. */
  getReadable(slug: string, context: CommandContext): Promise<SiteView> {
    return this.#get(slug, context, assertCanRead);
  }

  /** Returns the site. Refuses a caller who is not an owner. */
  getOwned(slug: string, context: CommandContext): Promise<SiteView> {
    return this.#get(slug, context, assertIsOwner);
  }

  /** Returns the site. Refuses access tokens and callers who are not owners. */
  getManaged(slug: string, context: CommandContext): Promise<SiteView> {
    return this.#get(slug, context, assertCanManage);
  }

  /** Returns the site, or null if it never existed, has expired or was deleted. */
  async find(siteId: string): Promise<SiteView | null> {
    const state = await this.#stateOf(siteId);
    return state.status === 'live' ? viewSite(siteId, state) : null;
  }

  /**
   * Refuses a caller who can no longer read the site. Returns the caller's role, or null if the caller has only the
   * edit token.
   */
  async assertCanRead(siteId: string, caller: Caller): Promise<DelegatedRole | null> {
    const live = assertCanRead(await this.#stateOf(siteId), { caller, at: new Date().toISOString() });
    return findRole(live, caller);
  }

  async assertCanEdit(siteId: string, context: CommandContext): Promise<void> {
    assertCanEdit(await this.#stateOf(siteId), context);
  }

  /** Reports whether the connector token has not been revoked and its creator still owns the site. */
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
