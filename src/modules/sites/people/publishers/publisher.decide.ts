import type { SiteEvent } from '../../../../events/site/site.events.js';
import { PublisherRemoved, PublisherTrusted, PublisherUsed } from '../../../../events/site/token.events.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { quoteId } from '../../../../kernel/output/quote-id.js';
import { refuse } from '../../../../kernel/refusal.js';
import { assertCanDelegate, assertCanEdit } from '../../site/assert-access.rule.js';
import type { Site } from '../../site/state/site.state.js';

export const MAX_PUBLISHERS = 50;

type PublisherCommand = { readonly context: CommandContext; readonly publisherId: string };

/**
 * Lets CI jobs that prove their identity publish, for as long as the owner who registered the publisher is a member.
 */
export function decideTrust(site: Site, { context, publisherId }: PublisherCommand): SiteEvent[] {
  const { publishers, member } = assertCanDelegate(site, context);
  if (publishers.some((publisher) => publisher.publisherId === publisherId)) return [];
  if (publishers.length >= MAX_PUBLISHERS)
    return refuse(
      'quota_exceeded',
      `A site can have at most ${MAX_PUBLISHERS} trusted publishers. Remove one that you no longer use.`,
    );
  return [PublisherTrusted({ publisherId, memberId: member.memberId })];
}

/** Removes the publisher. Refuses with `not_found` if the site does not trust it. */
export function decideDistrust(site: Site, { context, publisherId }: PublisherCommand): SiteEvent[] {
  const { publishers } = assertCanDelegate(site, context);
  if (!publishers.some((publisher) => publisher.publisherId === publisherId))
    return refuse('not_found', `This site has no trusted publisher ${quoteId(publisherId)}.`);
  return [PublisherRemoved({ publisherId })];
}

export type UsePublisher = PublisherCommand & {
  readonly tokenId: string;
  /** SHA-256, in hexadecimal, of the proof that the job presented. */
  readonly proof: string;
  /** When the job's token expires, as an RFC 3339 timestamp. */
  readonly expiresAt: string;
};

/**
 * Records that a job got a token. The caller is the job, whose rights are limited to those of the user who registered
 * the publisher.
 */
export function decideUsePublisher(
  site: Site,
  { context, publisherId, tokenId, proof, expiresAt }: UsePublisher,
): SiteEvent[] {
  const { publishers } = assertCanEdit(site, context);
  if (!publishers.some((publisher) => publisher.publisherId === publisherId))
    return refuse('invalid_token', 'The site no longer trusts this publisher.');
  return [PublisherUsed({ publisherId, tokenId, proof, expiresAt })];
}
