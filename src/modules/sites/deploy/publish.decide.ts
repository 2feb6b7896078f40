import { SiteCreated, SiteDeployed, type SiteEvent } from '../../../events/site.events.js';
import { expectRevision, type Given } from '../../../kernel/caller.js';
import { refuse } from '../../../kernel/refusal.js';
import { mayEdit } from '../may-edit.decide.js';
import type { Site } from '../site.state.js';

/** A deploy whose content is already durable. */
export type Content = {
  readonly deployId: string;
  /** Digest of the manifest, 64 hexadecimal digits. */
  readonly manifest: string;
  readonly files: number;
  readonly bytes: number;
  readonly source: 'upload';
};

export type CreateSite = Given & { readonly slug: string; readonly editTokenHash: string; readonly content: Content };

/** The first deploy brings the site into being. Its slug is already held in its name. */
export function decideCreate(site: Site, { slug, editTokenHash, content }: CreateSite): SiteEvent[] {
  if (site.status !== 'unknown') return refuse('conflict', 'This site exists already.');
  return [SiteCreated({ slug, editTokenHash }), SiteDeployed({ ...content, number: 1, message: null, replaced: null })];
}

export type Redeploy = Given & { readonly content: Content; readonly ifRevision: number | null };

/** Makes new content live. Equal content is a deploy too: it is what somebody did. */
export function decideRedeploy(site: Site, { content, caller, ifRevision }: Redeploy, revision: number): SiteEvent[] {
  const { live, deploys } = mayEdit(site, caller);
  expectRevision(ifRevision, revision, { path: 'deployId', message: live?.deployId ?? 'none' });

  return [SiteDeployed({ ...content, number: deploys.length + 1, message: null, replaced: live?.deployId ?? null })];
}
