import type { KindOfChange } from '../../../src/events/event-type.js';
import { siteEvents } from '../../../src/events/site/site.events.js';

/** A model of what the service promises about sites, independent of the implementation. */

export type Role = 'viewer' | 'editor' | 'owner';
export type Person = 'ann' | 'ben' | 'cat';
/** A script with the nth access token of a site. `scriptOf` is the key of the site. */
export type Script = { readonly scriptOf: string; readonly n: number };
/** The actor: a user, an anonymous caller, the operator, a holder of a site's edit token, or a script. */
export type By = Person | 'none' | 'operator' | { readonly tokenOf: string } | Script;

export type Act = { readonly by: By; readonly slug: string } & (
  | { readonly kind: 'post'; readonly mark: string }
  | { readonly kind: 'repository'; readonly mark: string }
  | { readonly kind: 'patch'; readonly mark: string; readonly publish: boolean }
  | { readonly kind: 'rollback'; readonly to: number | 'previous' }
  | { readonly kind: 'describe'; readonly title: string }
  | { readonly kind: 'access'; readonly visibility: Visibility; readonly password: string | null }
  | { readonly kind: 'makeToken'; readonly role: 'viewer' | 'editor' }
  | { readonly kind: 'endToken'; readonly n: number }
  | { readonly kind: 'rename'; readonly newSlug: string }
  | { readonly kind: 'role'; readonly person: Person; readonly role: Role }
  | { readonly kind: 'remove'; readonly person: Person }
  | { readonly kind: 'join'; readonly person: Person; readonly role: Role }
  | { readonly kind: 'delete' | 'takedown' | 'restore' }
);
/** An action, and the revision in its `If-Match` header (null if the header is not sent). */
export type AskedAct = Act & { readonly ifRevision: number | null };

export type Visibility = 'public' | 'members' | 'password';
type Password = { readonly n: number; readonly text: string };
/**
 * An access token. A script with it has the lower of `role` and its creator's role. When the creator loses their
 * membership, the token becomes `removed`.
 */
export type Token = { readonly maker: Person; readonly role: Role; readonly state: 'good' | 'ended' | 'removed' };

type Deploy = { readonly mark: string; readonly wasPublished: boolean; readonly replaced: number | null };

export type SiteModel = {
  /** Identifies the site: the mark (a unique text) of its first deploy. */
  readonly key: string;
  readonly slug: string;
  readonly formerSlugs: readonly string[];
  readonly status: 'live' | 'deleted';
  readonly takenDown: boolean;
  readonly members: Readonly<Partial<Record<Person, Role>>>;
  readonly hasToken: boolean;
  readonly visibility: Visibility;
  readonly password: Password | null;
  readonly formerPasswords: readonly Password[];
  /** Tokens in the order of their creation. The first one has the number 1. */
  readonly tokens: readonly Token[];
  readonly title: string;
  readonly deploys: readonly Deploy[];
  /** Number of the live deploy, counted within the site. */
  readonly live: number;
  readonly revision: number;
  /** Revision of the last change of each kind that `If-Match` distinguishes. */
  readonly lastChanges: LastChanges;
};

export type LastChanges = Readonly<Record<KindOfChange, number>>;

export type Model = {
  /** Sites by key, which is the mark (a unique text) of their first deploy. */
  readonly sites: Readonly<Record<string, SiteModel>>;
  /**
   * Slugs that an unfinished write may have reserved for a site for up to ten minutes. The values are keys of sites.
   */
  readonly maybeHeld: Readonly<Record<string, string>>;
};

/** A possible response to an action, with the resulting model and the recorded events, one line each. */
export type Outcome = {
  readonly answer: string;
  readonly site: string | null;
  readonly events: readonly string[];
  readonly model: Model;
};

export const nothing: Model = { sites: {}, maybeHeld: {} };

export const siteAt = ({ sites }: Model, slug: string) =>
  Object.values(sites).find(({ slug: own, formerSlugs }) => own === slug || formerSlugs.includes(slug));

const personsOf = ({ members }: SiteModel) => members as Readonly<Record<string, Role | undefined>>;
const roles: readonly Role[] = ['viewer', 'editor', 'owner'];

export function roleOf(site: SiteModel, by: By): Role | null {
  if (typeof by === 'string') return personsOf(site)[by] ?? null;
  if (!('scriptOf' in by) || by.scriptOf !== site.key) return null;
  const token = site.tokens[by.n - 1];
  const own = token?.state === 'good' ? site.members[token.maker] : undefined;
  return (token && own && roles[Math.min(roles.indexOf(token.role), roles.indexOf(own))]) ?? null;
}
export const isScript = (by: By): by is Script => typeof by === 'object' && 'scriptOf' in by;
export const holdsToken = (site: SiteModel, by: By) =>
  typeof by === 'object' && 'tokenOf' in by && site.hasToken && by.tokenOf === site.key;
export const isTheirs = (site: SiteModel, by: By) => holdsToken(site, by) || roleOf(site, by) !== null;

/**
 * Returns the refusal for a caller who lacks the right `may`, or null. The order of the checks is that of the service.
 */
export function refusalOf(
  site: SiteModel | undefined,
  by: By,
  may: (site: SiteModel) => boolean,
  own = false,
): string | null {
  if (!site || site.status === 'deleted') return '404 site_not_found';
  if (site.visibility !== 'public' && !isTheirs(site, by)) return '404 site_not_found';
  if (site.takenDown) return '451 taken_down';
  if (may(site)) return null;
  if (holdsToken(site, by) && own) return '403 forbidden';
  if (typeof by === 'object' && !isScript(by)) return '403 edit_token_invalid';
  return by === 'none' ? '401 unauthenticated' : '403 forbidden';
}

export const canEdit = (by: By) => (site: SiteModel) =>
  holdsToken(site, by) || ['owner', 'editor'].includes(roleOf(site, by) ?? '');
export const isOwner = (by: By) => (site: SiteModel) => roleOf(site, by) === 'owner';

/**
 * Returns the kind of change that an event makes. The check of `If-Match` distinguishes these kinds.
 * `test/fingerprints.txt` and `test/http/sites/if-match.http-spec.ts` list them.
 */
const kindOf = (event: string): KindOfChange | undefined =>
  siteEvents.find(({ type }) => type === /^\w+/.exec(event)?.[0])?.meaning.changes?.kind;

/** Creating a site counts as a change of every kind. */
export const lastChangesAfter = (
  events: readonly string[],
  before: { readonly revision: number; readonly lastChanges: LastChanges } = {
    revision: 0,
    lastChanges: { content: 1, access: 1, presentation: 1 },
  },
): LastChanges => {
  const changes = { ...before.lastChanges };
  for (const [n, event] of events.entries()) {
    const kind = kindOf(event);
    if (kind) changes[kind] = before.revision + n + 1;
  }
  return changes;
};

/** Reports whether nothing that the action depends on has changed on the site since the revision `seen`. */
function isAsSeen({ revision, lastChanges }: SiteModel, seen: number, kind: Act['kind'] | undefined): boolean {
  if (kind === 'delete') return seen === revision;
  const isSetting = kind === 'describe' || kind === 'access' || kind === 'rename';
  const own = isSetting ? lastChanges.presentation : lastChanges.content;
  return seen <= revision && seen >= own && seen >= lastChanges.access;
}

/** Applies the events of an action to a site. A wrong `If-Match` is refused before any other check of the site. */
export function changed(
  model: Model,
  site: SiteModel,
  { ifRevision, kind }: { readonly ifRevision: number | null; readonly kind?: Act['kind'] },
  events: readonly string[],
  change: Partial<SiteModel>,
  answer = '200',
): Outcome {
  if (ifRevision !== null && !isAsSeen(site, ifRevision, kind))
    return { answer: '412 revision_mismatch', site: null, events: [], model };
  const after =
    events.length === 0
      ? site
      : {
          ...site,
          ...change,
          revision: site.revision + events.length,
          lastChanges: lastChangesAfter(events, site),
        };
  return { answer, site: site.key, events, model: { ...model, sites: { ...model.sites, [site.key]: after } } };
}
