import type { DeployServer } from '../../../../events/site/deploy-server.js';
import { MemberAdded } from '../../../../events/site/member.events.js';
import {
  SiteCreated,
  SiteDeployed,
  type SiteEvent,
  SiteExpirySet,
  SiteStaged,
} from '../../../../events/site/site.events.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { refuse } from '../../../../kernel/refusal.js';
import { assertCanEdit } from '../../site/assert-access.rule.js';
import { assertUnchanged } from '../../site/assert-unchanged.rule.js';
import type { Site } from '../../site/site.state.js';

/** A deploy whose content is already durable. */
export type DeployContent = {
  readonly deployId: string;
  /** Digest of the manifest, or of the server’s output or image: 64 hexadecimal digits. */
  readonly manifest: string;
  readonly files: number;
  readonly bytes: number;
  /** Origin: an upload, a build of a repository, a page made by this service, or an MCP tool. */
  readonly source: 'upload' | 'repo' | 'code' | 'mcp';
  readonly message: string | null;
  /** The job that built it and the commit that it was built from; null for an upload. */
  readonly jobId: string | null;
  readonly commit: string | null;
  /** Digest of the signed provenance statement, 64 hexadecimal digits; null for an upload. */
  readonly provenance: string | null;
  /** Null for a deploy of files. */
  readonly program: DeployServer;
  /** Whether a trusted job built it; null for an upload. */
  readonly trusted: boolean | null;
};

export type Create = {
  readonly slug: string;
  /** Hash of the edit token of a site without an owner; null if the site has an owner from the start. */
  readonly editTokenHash: string | null;
  readonly owner: { readonly memberId: string; readonly userId: string } | null;
  readonly content: DeployContent;
  /** Null for a site that does not expire. */
  readonly expiry: Expiry | null;
};

export type Expiry = {
  /** RFC 3339. */
  readonly expiresAt: string;
  /** Whether each publication renews it. */
  readonly renews: boolean;
};

/**
 * Creates a site with its first deploy. Its slug is already held. If the site already has this deploy, the command is a
 * retry whose response was lost.
 */
export function decideCreate(site: Site, { slug, editTokenHash, owner, content, expiry }: Create): SiteEvent[] {
  if (site.status === 'live' && site.deploys[0]?.deployId === content.deployId) return [];
  if (site.status !== 'unknown') return refuse('conflict', 'This site already exists.');

  return [
    SiteCreated({ slug, editTokenHash }),
    ...(owner === null ? [] : [MemberAdded({ ...owner, role: 'owner', inviteId: null })]),
    SiteDeployed({ ...content, number: 1, replaced: null }),
    ...(expiry === null ? [] : [SiteExpirySet(expiry)]),
  ];
}

export type Redeploy = {
  readonly context: CommandContext;
  readonly content: DeployContent;
  readonly ifRevision: number | null;
  /** The deploy with which the content was merged (`mode=merge`); null if it was not merged. */
  readonly over: string | null;
  /** False to store the deploy and leave the site as it is. */
  readonly publish: boolean;
  /** New expiry of a site whose expiry renews; RFC 3339. Null if the operator sets none. */
  readonly renewedExpiry: string | null;
};

/** Renews the expiry of a published site, if it renews. It never becomes earlier. */
export function renewExpiry(
  { expiresAt, renewsExpiry }: Extract<Site, { status: 'live' }>,
  renewed: string | null,
): SiteEvent[] {
  const isLater = renewed !== null && expiresAt !== null && renewed > expiresAt;
  return renewsExpiry && isLater ? [SiteExpirySet({ expiresAt: renewed, renews: true })] : [];
}

/**
 * Makes new content live, or stores it beside the live deploy. Equal content is a deploy too: the history shows what
 * was done. Content merged with a deploy that is no longer live is refused with `conflict` and must be merged again.
 */
export function decideRedeploy(
  site: Site,
  { context, content, ifRevision, over, publish, renewedExpiry }: Redeploy,
  revision: number,
): SiteEvent[] {
  const found = assertCanEdit(site, context);
  const { live, deploys } = found;
  if (deploys.some(({ deployId }) => deployId === content.deployId)) return [];
  assertUnchanged(found, 'content', { ifRevision, revision });
  if (over !== null && over !== live?.deployId) refuse('conflict', 'The live deploy has changed in the meantime.');

  const number = deploys.length + 1;
  return publish
    ? [SiteDeployed({ ...content, number, replaced: live?.deployId ?? null }), ...renewExpiry(found, renewedExpiry)]
    : [SiteStaged({ ...content, number })];
}
