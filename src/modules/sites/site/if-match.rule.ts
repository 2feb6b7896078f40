import type { KindOfChange } from '../../../events/event-type.js';
import { type SiteEvent, siteEvents } from '../../../events/site/site.events.js';
import { refuse } from '../../../kernel/refusal.js';
import type { LiveSite, Site } from './state/site.state.js';

/** Kinds of changes that make a request with `If-Match` fail, by the part of the site that the request depends on. */
const dependencies = {
  content: ['content', 'access'],
  presentation: ['presentation', 'access'],
} as const satisfies Record<string, readonly KindOfChange[]>;

/**
 * Part of a site that a request with `If-Match` depends on. A request that depends on `everything` fails after any
 * event.
 */
export type Dependency = keyof typeof dependencies | 'everything';

type Precondition = {
  /** Revision in the request's `If-Match` header, or null if the header was not sent. */
  readonly ifRevision: number | null;
  readonly revision: number;
};

/**
 * Defines a rule that compares `If-Match` with the changes that the request depends on. `decide` must call
 * `assertUnchanged` before it returns events, and after it has checked the caller's rights. The route describes the
 * header with `@IfMatch(rule)`.
 */
export function defineConditionalRule<Command extends Pick<Precondition, 'ifRevision'>>(
  dependsOn: Dependency,
  decide: (site: Site, command: Command, assertUnchanged: (found: LiveSite) => void) => SiteEvent[],
) {
  const rule = (site: Site, command: Command, revision: number): SiteEvent[] => {
    let isCompared = false;
    const events = decide(site, command, (found) => {
      isCompared = true;
      assertUnchanged(found, dependsOn, { ifRevision: command.ifRevision, revision });
    });
    if (events.length > 0 && !isCompared)
      throw new Error(`The rule that records ${events[0]?.type} must call assertUnchanged before it returns events.`);
    return events;
  };
  return Object.assign(rule, { failsIf: describeChanges(dependsOn) });
}

/**
 * Checks `If-Match` (RFC 9110 section 13.1.1). Refuses if anything that the request depends on has changed since that
 * revision, or if the site has not reached that revision.
 */
function assertUnchanged(
  { lastChanges, live }: LiveSite,
  dependsOn: Dependency,
  { ifRevision, revision }: Precondition,
): void {
  if (ifRevision === null) return;
  const isUnchanged =
    dependsOn === 'everything'
      ? ifRevision === revision
      : dependencies[dependsOn].every((kind) => lastChanges[kind] <= ifRevision);
  if (isUnchanged && ifRevision <= revision) return;
  const detail =
    ifRevision > revision
      ? `The site is at revision ${revision} and has not reached revision ${ifRevision} yet.`
      : `The site has changed since revision ${ifRevision}. It is now at revision ${revision}.`;
  refuse('revision_mismatch', detail, [
    { path: 'revision', message: String(revision) },
    { path: 'deployId', message: live?.deployId ?? 'none' },
  ]);
}

/** Describes the changes that make a request fail. Completes “The request fails if, since then, …”. */
function describeChanges(dependsOn: Dependency): string {
  if (dependsOn === 'everything') return 'anything about the site has changed';
  const changes = dependencies[dependsOn].map(changesOfKind);
  const done = changes.flatMap((ofKind) => ofKind.flatMap((each) => ('done' in each ? [each.done] : [])).sort());
  const changed = changes.flat().flatMap((each) => ('changed' in each ? each.changed : []));
  return `someone has ${joinWithOr(done)} the site, or changed ${joinWithOr(changed)}`;
}

const changesOfKind = (kind: KindOfChange) =>
  siteEvents.flatMap(({ meaning: { changes } }) => (changes?.kind === kind ? [changes] : []));

const alternatives = new Intl.ListFormat('en-GB', { type: 'disjunction' });
const joinWithOr = (items: readonly string[]) => alternatives.format(new Set(items));
