import {
  type LinkedRepository,
  SiteRepositoryLinked,
  SiteRepositoryUnlinked,
} from '../../../../events/site/repository.events.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { assertCanDelegate } from '../../site/assert-access.rule.js';
import type { Site } from '../../site/state/site.state.js';

export type LinkRepository = {
  readonly context: CommandContext;
  readonly repository: LinkedRepository;
  /** ID for a new link. Used if the repository or the build settings differ from those of the current link. */
  readonly linkId: string;
};

/**
 * Links a repository. Its builds receive the site's secrets, no matter who starts them. Therefore, only an owner in
 * their own session can link it, as with all rights that are granted to others.
 */
export function decideLinkRepository(site: Site, { context, repository, linkId }: LinkRepository): SiteEvent[] {
  const { repository: before, member } = assertCanDelegate(site, context);
  const isSameBuild = before !== null && BUILD.every((key) => isSame(before[key], repository[key]));
  const linked = { ...repository, linkId: isSameBuild ? before.linkId : linkId, memberId: member.memberId };
  const isUnchanged = isSameBuild && REST.every((key) => before[key] === linked[key]);
  return isUnchanged ? [] : [SiteRepositoryLinked(linked)];
}

/** Unlinks the repository. Records nothing if no repository is linked. */
export function decideUnlinkRepository(site: Site, { context }: { readonly context: CommandContext }): SiteEvent[] {
  const { repository } = assertCanDelegate(site, context);
  return repository === null ? [] : [SiteRepositoryUnlinked({ linkId: repository.linkId })];
}

const BUILD = ['url', 'branch', 'rootDirectory', 'plan'] as const;

const REST = ['schedule', 'skipUnchanged', 'memberId'] as const;

/** Compares two settings of a repository link. A plan is a flat object whose fields can be in any order. */
const isSame = (a: LinkedRepository[(typeof BUILD)[number]], b: LinkedRepository[(typeof BUILD)[number]]) =>
  JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

const sorted = (value: LinkedRepository[(typeof BUILD)[number]]) =>
  value !== null && typeof value === 'object' ? Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)) : value;
