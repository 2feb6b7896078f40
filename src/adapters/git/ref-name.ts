import type { RepoAddress } from '../../kernel/ports/outside/repositories.js';
import { refuse } from '../../kernel/refusal.js';
import type { Advertisement } from './advertisement.js';

export type RefName = { readonly full: string; readonly short: string };

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/**
 * Matches abbreviated commit IDs. Git abbreviates them to at least four digits; GitHub and GitLab to seven or eight.
 */
const SHORT_COMMIT = /^[0-9a-f]{4,63}$/;

type Wanted = Pick<RepoAddress, 'ref' | 'isBranch'>;

/**
 * Returns the ref to request. A branch takes precedence over a tag, as in git clone. Returns null for an abbreviated
 * commit ID that no ref points to. Refuses with `repo_unreachable`.
 */
export function findRef(
  { refs, head }: Pick<Advertisement, 'refs' | 'head'>,
  { ref, isBranch = false }: Wanted,
): RefName | null {
  if (ref === null) {
    if (refs?.size === 0 || (refs && !refs.has('HEAD') && !head))
      return refuseMissing('The repository has no commits.');
    return { full: 'HEAD', short: shortOf(head ?? 'HEAD') };
  }
  const short = shortOf(ref);
  if (isBranch) {
    const full = `refs/heads/${short}`;
    return refs === null || refs.has(full)
      ? { full, short }
      : refuseMissing(`The repository has no branch “${short}”.`);
  }
  const full = [`refs/heads/${ref}`, `refs/tags/${ref}`, ...(ref.startsWith('refs/') ? [ref] : [])].find((name) =>
    refs?.has(name),
  );
  if (full) return { full, short: shortOf(full) };
  if (COMMIT.test(ref)) return { full: ref, short: ref };
  if (SHORT_COMMIT.test(ref)) return ofShortCommit(refs, ref);
  return refs === null ? { full: ref, short } : refuseNoRef(ref);
}

export const refuseNoRef = (ref: string): never =>
  refuseMissing(`The repository has no branch, tag or commit “${ref}”.`);

export const refuseAmbiguous = (ref: string): never =>
  refuse('repo_unreachable', `“${ref}” is ambiguous because several commits begin with it. Send the full commit ID.`, [
    { path: 'ref', message: 'is ambiguous' },
  ]);

function ofShortCommit(refs: ReadonlyMap<string, string> | null, ref: string): RefName | null {
  const found = new Set([...(refs?.values() ?? [])].filter((oid) => oid.startsWith(ref)));
  const [commit] = found;
  if (found.size > 1) return refuseAmbiguous(ref);
  return commit === undefined ? null : { full: commit, short: commit };
}

const shortOf = (name: string) => name.replace(/^refs\/(?:heads|tags)\//, '');

const refuseMissing = (detail: string): never =>
  refuse('repo_unreachable', detail, [{ path: 'ref', message: 'does not exist in the repository' }]);
