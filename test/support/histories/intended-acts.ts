import fc, { type Arbitrary } from 'fast-check';
import type { RecordedSite } from './recorded.js';
import type { AskedAct, By, Model, Person, Role, SiteModel } from './site-model.js';
import type { Place, TwoProcesses } from './two-processes.js';

export type Run = {
  readonly processes: TwoProcesses;
  /** Unique prefix of all slugs and texts of this history. */
  readonly name: string;
  marks: number;
  acts: number;
};

export const slugs = ['a', 'b', 'c', 'd'] as const;
const people: readonly Person[] = ['ann', 'ben', 'cat'];
const roles: readonly Role[] = ['viewer', 'editor', 'owner'];

/** A generated action. Its actor's token and its `If-Match` revision are determined later. */
export type Intended = {
  readonly act: Record<string, unknown> & { readonly kind: AskedAct['kind']; readonly slug: string };
  readonly by: Person | 'none' | 'token' | 'script';
  readonly ifMatch: 'none' | 'current' | 'older' | 'unreached';
  readonly place: Place;
};

/**
 * Differences between the revision in `If-Match` and the current one. An older revision is accepted if nothing relevant
 * has changed since.
 */
const OFFSETS = { current: 0, older: -2, unreached: 7 } as const;

const slug = fc.constantFrom(...slugs);
const person = fc.constantFrom(...people);
const kinds: readonly (readonly [weight: number, Arbitrary<Intended['act']>])[] = [
  [4, fc.record({ kind: fc.constant('post' as const), slug })],
  [6, fc.record({ kind: fc.constant('patch' as const), slug, publish: fc.boolean() })],
  [4, fc.record({ kind: fc.constant('rollback' as const), slug, to: fc.constantFrom('previous', 1, 2, 3, 9) })],
  [3, fc.record({ kind: fc.constant('describe' as const), slug, title: fc.constantFrom('', 'one', 'two') })],
  [2, fc.record({ kind: fc.constant('access' as const), slug, visibility: fc.constantFrom('public', 'members') })],
  [
    2,
    fc.record({
      kind: fc.constant('access' as const),
      slug,
      visibility: fc.constant('password'),
      isNew: fc.constantFrom(true, true, false),
    }),
  ],
  [2, fc.record({ kind: fc.constant('makeToken' as const), slug, role: fc.constantFrom('viewer', 'editor') })],
  [1, fc.record({ kind: fc.constant('endToken' as const), slug, n: fc.constantFrom(1, 2, 3) })],
  [2, fc.record({ kind: fc.constant('rename' as const), slug, newSlug: slug })],
  [2, fc.record({ kind: fc.constant('role' as const), slug, person, role: fc.constantFrom(...roles) })],
  [1, fc.record({ kind: fc.constant('remove' as const), slug, person })],
  [1, fc.record({ kind: fc.constantFrom('takedown' as const, 'restore' as const, 'restore' as const), slug })],
  [1, fc.record({ kind: fc.constant('delete' as const), slug })],
];
export const acting = fc.oneof(...kinds.map(([weight, arbitrary]) => ({ weight, arbitrary })));
export const joining = fc.record({ kind: fc.constant('join' as const), slug, person, role: fc.constantFrom(...roles) });

/**
 * A deploy from a repository. It is sent alone and checked after its job has ended, because other actions could happen
 * during the job.
 */
export const fromRepository = fc.record({ kind: fc.constant('repository' as const), slug });

export const intended = (act: Arbitrary<Intended['act']>): Arbitrary<Intended> =>
  fc.record({
    act,
    by: fc.oneof(
      { weight: 5, arbitrary: fc.constant('ann' as const) },
      { weight: 3, arbitrary: fc.constantFrom('ben' as const, 'cat' as const, 'none' as const, 'token' as const) },
      { weight: 2, arbitrary: fc.constant('script' as const) },
    ),
    ifMatch: fc.constantFrom('none', 'none', 'current', 'older', 'unreached'),
    place: fc.constantFrom(0 as const, 1 as const),
  });

const takesIfMatch = new Set(['patch', 'rollback', 'describe', 'access', 'rename', 'delete']);
const marked = new Set(['post', 'patch', 'repository']);
export const takesKey = new Set(['post', 'patch', 'rollback']);

export function settled(
  { act, by, ifMatch }: Intended,
  state: Model,
  run: Run,
  recorded: ReadonlyMap<string, RecordedSite>,
  isKilled: boolean,
): AskedAct {
  const full = (text: unknown) => `${run.name}-${text}`;
  const at = Object.values(state.sites).find(({ slug: own, formerSlugs }) =>
    [own, ...formerSlugs].includes(full(act.slug)),
  );
  const revision = at && takesIfMatch.has(act.kind) ? at.revision : null;
  // While a process is killed, concurrent requests set the same password. Otherwise, the model would not know which of
  // two passwords is valid if neither request got a response.
  const password = 'isNew' in act && act.isNew ? `${run.name}-p${isKilled ? run.marks : ++run.marks}` : null;
  return {
    ...act,
    slug: full(act.slug),
    ...(act.kind === 'access' && { password }),
    ...('newSlug' in act && { newSlug: full(act.newSlug) }),
    ...(marked.has(act.kind) && { mark: `${run.name}-m${++run.marks}` }),
    by: act.kind === 'takedown' || act.kind === 'restore' ? 'operator' : whoActs(by, at, run.processes, recorded),
    ifRevision: ifMatch === 'none' || revision === null ? null : Math.max(0, revision + OFFSETS[ifMatch]),
  } as AskedAct;
}

/** Chooses the actor. A script uses a token of the requested site, or of another site if this one has no tokens. */
function whoActs(
  by: Intended['by'],
  at: SiteModel | undefined,
  processes: TwoProcesses,
  recorded: ReadonlyMap<string, RecordedSite>,
): By {
  if (by === 'token') return at ? { tokenOf: at.key } : 'none';
  if (by !== 'script') return by;
  const scripts = [...recorded.values()].flatMap((site) =>
    processes.scriptsOf(site).map((n) => ({ scriptOf: site.key, n })),
  );
  return scripts.findLast(({ scriptOf }) => scriptOf === at?.key) ?? scripts.at(-1) ?? 'ann';
}

/**
 * Removes actions that end a token. A token becomes invalid before its revocation is recorded, so the model would not
 * know the token's state if there was no response.
 */
export const withoutEnds = (several: readonly Intended[]) => several.filter(({ act }) => act.kind !== 'endToken');
