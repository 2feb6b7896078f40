import { MemberAdded } from '../../../../events/site/member.events.js';
import type { Program } from '../../../../events/site/program.js';
import {
  SiteCreated,
  SiteDeployed,
  type SiteEvent,
  SiteExpirySet,
  SiteStaged,
} from '../../../../events/site/site.events.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { refuse } from '../../../../kernel/refusal.js';
import { assertCanEdit } from '../../site/assert-access.decide.js';
import { assertUnchanged } from '../../site/assert-unchanged.decide.js';
import type { Site } from '../../site/site.state.js';

/** A deploy whose content is already durable. */
export type DeployContent = {
  readonly deployId: string;
  /** Digest of the manifest, or of the program’s output or image: 64 hexadecimal digits. */
  readonly manifest: string;
  readonly files: number;
  readonly bytes: number;
  /** How it came: sent, built from a repository, made by this service, or sent by an agent's tool. */
  readonly source: 'upload' | 'repo' | 'code' | 'mcp';
  readonly message: string | null;
  /** The job that made it, and the commit it was made from; null for a deploy that was sent. */
  readonly jobId: string | null;
  readonly commit: string | null;
  /** Digest of the signed statement of how it was made, 64 hexadecimal digits; null for a deploy that was sent. */
  readonly provenance: string | null;
  /** Null where it is files. */
  readonly program: Program;
  /** Whether a trusted job built it; null for a deploy that was sent. */
  readonly trusted: boolean | null;
};

export type Create = {
  readonly slug: string;
  /** Of a site without an owner; null where it has one from the start. */
  readonly editTokenHash: string | null;
  readonly owner: { readonly memberId: string; readonly userId: string } | null;
  readonly content: DeployContent;
  /** Null for a site that stays. */
  readonly expiry: Expiry | null;
};

export type Expiry = {
  /** RFC 3339. */
  readonly expiresAt: string;
  /** Whether each publication sets it anew. */
  readonly renews: boolean;
};

/**
 * The first deploy brings the site into being. Its slug is held for it already. A deploy that the site has already
 * is this very command, whose answer was lost.
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
  /** The deploy that the content was made over (`mode=merge`); null when it stands for itself. */
  readonly over: string | null;
  /** False to store it and leave the site as it is. */
  readonly publish: boolean;
  /** When a site expires whose expiry is set anew now; RFC 3339. Null if the operator sets none. */
  readonly renewedExpiry: string | null;
};

/** Sets the expiry of a published site anew, if it renews. It never becomes earlier. */
export function renewExpiry(
  { expiresAt, renewsExpiry }: Extract<Site, { status: 'live' }>,
  renewed: string | null,
): SiteEvent[] {
  const isLater = renewed !== null && expiresAt !== null && renewed > expiresAt;
  return renewsExpiry && isLater ? [SiteExpirySet({ expiresAt: renewed, renews: true })] : [];
}

/**
 * Makes new content live, or stores it beside. Equal content is a deploy too: the history shows what was done.
 * Content that was made over a deploy that is no longer live is refused with `conflict`: it has to be made again.
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
