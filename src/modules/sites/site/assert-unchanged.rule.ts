import { refuse } from '../../../kernel/refusal.js';
import type { KindOfChange } from './state/changes.state.js';
import type { LiveSite } from './state/site.state.js';

/** Kinds of changes that make a request with `If-Match` fail, by what the request depends on. */
const dependencies: Readonly<Record<'content' | 'presentation', readonly KindOfChange[]>> = {
  content: ['content', 'access'],
  presentation: ['presentation', 'access'],
};

export type Precondition = {
  /** Revision in `If-Match`, or null if the header was not sent. */
  readonly ifRevision: number | null;
  readonly revision: number;
};

/**
 * Checks `If-Match` (RFC 9110 section 13.1.1): since that revision, nothing that the request depends on may have
 * changed. Deploys and rollbacks depend on `content`, changes of access, slug and details on `presentation`, and
 * deleting a site on `everything`. Also refuses a revision that the site has not reached.
 */
export function assertUnchanged(
  { lastChanges, live }: LiveSite,
  dependsOn: keyof typeof dependencies | 'everything',
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
