/** What is promised of sites, and nothing of how it is kept: people, sites and names, and what each act does to them. */

export type Role = 'viewer' | 'editor' | 'owner';
export type Person = 'ann' | 'ben' | 'cat';
/** A script with the n-th access token of a site (named by its first mark). */
export type Script = { readonly scriptOf: string; readonly n: number };
/** Who acts: a person, nobody, the operator, whoever holds the edit token of a site, or a script. */
export type By = Person | 'none' | 'operator' | { readonly tokenOf: string } | Script;

export type Act = { readonly by: By; readonly slug: string } & (
  | { readonly kind: 'post'; readonly mark: string }
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
/** With what `If-Match` says: null where it is not sent. */
export type AskedAct = Act & { readonly ifRevision: number | null };

export type Visibility = 'public' | 'members' | 'password';
/** What visitors are asked for: the n-th password that the site was given. */
type Password = { readonly n: number; readonly text: string };
/** A script has the lesser of its maker’s role and its own. It was `removed` with its maker, or `ended`. */
type Token = { readonly maker: Person; readonly role: Role; readonly state: 'good' | 'ended' | 'removed' };

type Deploy = { readonly mark: string; readonly wasPublished: boolean; readonly replaced: number | null };

export type SiteModel = {
  /** The mark of its first deploy. */
  readonly key: string;
  readonly slug: string;
  readonly formerSlugs: readonly string[];
  readonly status: 'live' | 'deleted';
  readonly takenDown: boolean;
  readonly members: Readonly<Partial<Record<Person, Role>>>;
  readonly hasToken: boolean;
  readonly visibility: Visibility;
  /** The one that holds, and those of before. */
  readonly password: Password | null;
  readonly formerPasswords: readonly Password[];
  /** By their order, from 1 on. */
  readonly tokens: readonly Token[];
  readonly title: string;
  readonly deploys: readonly Deploy[];
  /** The number of a deploy. */
  readonly live: number;
  readonly revision: number;
};

export type Model = {
  /** By key. */
  readonly sites: Readonly<Record<string, SiteModel>>;
  /** Slugs that a write may have held for the site of this key and then not taken: for ten minutes others may be refused. */
  readonly maybeHeld: Readonly<Record<string, string>>;
};

/** What an act may be answered, what is then, and the events that tell of it, in one line each. */
export type Outcome = {
  readonly answer: string;
  readonly site: string | null;
  readonly events: readonly string[];
  readonly model: Model;
};

export const nothing: Model = { sites: {}, maybeHeld: {} };

const siteAt = ({ sites }: Model, slug: string) =>
  Object.values(sites).find(({ slug: own, formerSlugs }) => own === slug || formerSlugs.includes(slug));

const personsOf = ({ members }: SiteModel) => members as Readonly<Record<string, Role | undefined>>;
const roles: readonly Role[] = ['viewer', 'editor', 'owner'];

function roleOf(site: SiteModel, by: By): Role | null {
  if (typeof by === 'string') return personsOf(site)[by] ?? null;
  if (!('scriptOf' in by) || by.scriptOf !== site.key) return null;
  const token = site.tokens[by.n - 1];
  const own = token?.state === 'good' ? site.members[token.maker] : undefined;
  return (token && own && roles[Math.min(roles.indexOf(token.role), roles.indexOf(own))]) ?? null;
}
const isScript = (by: By): by is Script => typeof by === 'object' && 'scriptOf' in by;
const holdsToken = (site: SiteModel, by: By) =>
  typeof by === 'object' && 'tokenOf' in by && site.hasToken && by.tokenOf === site.key;
const isTheirs = (site: SiteModel, by: By) => holdsToken(site, by) || roleOf(site, by) !== null;

/** The refusal of whoever may not, as the order of checks has it; null where they may. */
function refusalOf(site: SiteModel | undefined, by: By, may: (site: SiteModel) => boolean, own = false): string | null {
  if (!site || site.status === 'deleted') return '404 site_not_found';
  if (site.visibility !== 'public' && !isTheirs(site, by)) return '404 site_not_found';
  if (site.takenDown) return '451 taken_down';
  if (may(site)) return null;
  if (holdsToken(site, by) && own) return '403 forbidden';
  if (typeof by === 'object' && !isScript(by)) return '403 edit_token_invalid';
  return by === 'none' ? '401 unauthenticated' : '403 forbidden';
}

const mayEdit = (by: By) => (site: SiteModel) =>
  holdsToken(site, by) || ['owner', 'editor'].includes(roleOf(site, by) ?? '');
const mayOwn = (by: By) => (site: SiteModel) => roleOf(site, by) === 'owner';

/**
 * Everything that may come of an act: mostly one thing. A token that is over is refused before anything is looked at; one
 * that went with its maker or its site may be found to be over, or to have no role any more.
 */
export function outcomesOf(model: Model, act: AskedAct): readonly Outcome[] {
  if (!isScript(act.by)) return actsOf(model, act);
  const site = model.sites[act.by.scriptOf];
  const state = site?.tokens[act.by.n - 1]?.state ?? 'ended';
  const over: Outcome = { answer: '401 unauthenticated', site: null, events: [], model };
  if (state === 'ended') return [over];
  return state === 'removed' || site?.status === 'deleted' ? [over, ...actsOf(model, act)] : actsOf(model, act);
}

function actsOf(model: Model, act: AskedAct): readonly Outcome[] {
  const site = siteAt(model, act.slug);
  const refused = (answer: string): Outcome => ({ answer, site: null, events: [], model });
  switch (act.kind) {
    case 'post':
      return post(model, site, act);
    case 'takedown':
    case 'restore':
      return [operate(model, site, act.kind)];
    case 'join':
      return [join(model, site, act)];
    case 'delete': {
      const refusal = refusalOf(site, act.by, (there) => holdsToken(there, act.by) || mayOwn(act.by)(there));
      return [
        refusal || !site
          ? refused(refusal ?? '')
          : changed(model, site, act, ['SiteDeleted'], { status: 'deleted', members: {}, hasToken: false }, '204'),
      ];
    }
    case 'patch':
    case 'rollback': {
      const refusal = refusalOf(site, act.by, mayEdit(act.by));
      if (refusal || !site) return [refused(refusal ?? '')];
      return [act.kind === 'patch' ? redeployed(model, site, act) : rolledBack(model, site, act)];
    }
    case 'remove':
    case 'role':
      return [ofMember(model, site, act)];
    default: {
      const refusal = refusalOf(site, act.by, mayOwn(act.by), true);
      if (refusal || !site) return [refused(refusal ?? '')];
      if (act.kind === 'rename') return renamed(model, site, act);
      if (act.kind === 'access') return [opened(model, site, act)];
      if (act.kind !== 'describe') return [ofToken(model, site, act)];
      const events = act.title === site.title ? [] : [`SiteDescribed ${act.title}`];
      return [changed(model, site, act, events, { title: act.title })];
    }
  }
}

/** A site that asks for a password keeps it until another is sent, which is another one even where it is equal. */
function opened(model: Model, site: SiteModel, act: AskedAct & { readonly kind: 'access' }): Outcome {
  const { visibility, password: text } = act;
  const given = [...site.formerPasswords, ...(site.password ? [site.password] : [])];
  const sent = text === null ? site.password : { n: given.length + 1, text };
  const password = visibility === 'password' ? sent : null;
  const isSame = visibility === site.visibility && password?.n === site.password?.n;
  const event = `SiteAccessSet ${visibility}${password ? ` ${password.n}` : ''}`;
  const formerPasswords = given.filter(({ n }) => n !== password?.n);
  const done = changed(model, site, act, isSame ? [] : [event], { visibility, password, formerPasswords });
  if (visibility !== 'password' || password || done.answer !== '200') return done;
  return { answer: '400 invalid_request', site: null, events: [], model };
}

/** A person alone lets something act for them. */
function ofToken(
  model: Model,
  site: SiteModel,
  act: AskedAct & ({ readonly kind: 'makeToken' } | { readonly kind: 'endToken' }),
): Outcome {
  const unasked = { ifRevision: null };
  if (act.kind === 'makeToken') {
    const token: Token = { maker: act.by as Person, role: act.role, state: 'good' };
    const event = `AccessTokenIssued ${token.maker} ${act.role}`;
    return changed(model, site, unasked, [event], { tokens: [...site.tokens, token] }, '201');
  }
  if (site.tokens[act.n - 1]?.state !== 'good') return { answer: '404 not_found', site: null, events: [], model };
  const tokens = site.tokens.map((token, at) => (at === act.n - 1 ? { ...token, state: 'ended' as const } : token));
  return changed(model, site, unasked, [`AccessTokenRevoked ${act.n}`], { tokens }, '204');
}

/** The site after events, with the revision that they give it; a wrong `If-Match` is told before anything else of the site. */
function changed(
  model: Model,
  site: SiteModel,
  { ifRevision }: Pick<AskedAct, 'ifRevision'>,
  events: readonly string[],
  change: Partial<SiteModel>,
  answer = '200',
): Outcome {
  if (ifRevision !== null && ifRevision !== site.revision)
    return { answer: '412 revision_mismatch', site: null, events: [], model };
  const after = events.length === 0 ? site : { ...site, ...change, revision: site.revision + events.length };
  return { answer, site: site.key, events, model: { ...model, sites: { ...model.sites, [site.key]: after } } };
}

function post(
  model: Model,
  site: SiteModel | undefined,
  act: AskedAct & { readonly kind: 'post' },
): readonly Outcome[] {
  const { by, slug, mark } = act;
  const refused = (answer: string): Outcome => ({ answer, site: null, events: [], model });
  if (site) {
    if (site.status === 'deleted' || !isTheirs(site, by)) return [refused('409 slug_taken')];
    const refusal = refusalOf(site, by, mayEdit(by));
    return [refusal ? refused(refusal) : redeployed(model, site, { ...act, publish: true })];
  }
  if (isScript(by)) return [refused('403 forbidden')];
  if (typeof by === 'object') return [refused('401 unauthenticated')];
  const person = by === 'none' || by === 'operator' ? null : by;
  const events = [`SiteCreated ${slug}`, ...(person ? [`MemberAdded ${person} owner`] : []), `SiteDeployed 1 ${mark}`];
  const made: SiteModel = {
    key: mark,
    slug,
    formerSlugs: [],
    status: 'live',
    takenDown: false,
    members: person ? { [person]: 'owner' } : {},
    hasToken: person === null,
    visibility: 'public',
    password: null,
    formerPasswords: [],
    tokens: [],
    title: '',
    deploys: [{ mark, wasPublished: true, replaced: null }],
    live: 1,
    revision: events.length,
  };
  const { [slug]: held, ...maybeHeld } = model.maybeHeld;
  const after: Model = { sites: { ...model.sites, [mark]: made }, maybeHeld };
  const done: Outcome = { answer: '200', site: mark, events, model: after };
  return held === undefined ? [done] : [done, refused('409 slug_taken')];
}

function redeployed(
  model: Model,
  site: SiteModel,
  act: Pick<AskedAct, 'ifRevision'> & { readonly mark: string; readonly publish: boolean },
): Outcome {
  const number = site.deploys.length + 1;
  const deploys = [
    ...site.deploys,
    { mark: act.mark, wasPublished: act.publish, replaced: act.publish ? site.live : null },
  ];
  const event = `${act.publish ? 'SiteDeployed' : 'SiteStaged'} ${number} ${act.mark}`;
  return changed(model, site, act, [event], { deploys, ...(act.publish && { live: number }) });
}

function rolledBack(model: Model, site: SiteModel, act: AskedAct & { readonly kind: 'rollback' }): Outcome {
  const earlier = site.deploys.slice(0, site.live - 1).findLastIndex(({ wasPublished }) => wasPublished) + 1;
  const number = act.to === 'previous' ? earlier : act.to;
  const target = site.deploys[number - 1];
  const done = changed(model, site, act, number === site.live ? [] : [`SiteRolledBack ${number}`], { live: number });
  if (target || done.answer !== '200') return done;
  return { answer: '404 deploy_not_found', site: null, events: [], model };
}

/** A name that is taken for the site and not given to it in the end is kept from others for a while. */
function renamed(model: Model, site: SiteModel, act: AskedAct & { readonly kind: 'rename' }): readonly Outcome[] {
  const { newSlug } = act;
  const done = changed(model, site, act, newSlug === site.slug ? [] : [`SiteRenamed ${newSlug}`], {
    slug: newSlug,
    formerSlugs: [...site.formerSlugs.filter((each) => each !== newSlug), site.slug],
  });
  if (done.answer !== '200' || newSlug === site.slug) return [done];
  const taken: Outcome = { answer: '409 slug_taken', site: null, events: [], model };
  const holder = siteAt(model, newSlug);
  if (holder && holder.key !== site.key) return [taken];
  const { [newSlug]: held, ...maybeHeld } = model.maybeHeld;
  const renamedOne: Outcome = { ...done, model: { ...done.model, maybeHeld } };
  return held === undefined || held === site.key ? [renamedOne] : [renamedOne, taken];
}

function operate(model: Model, site: SiteModel | undefined, kind: 'takedown' | 'restore'): Outcome {
  if (!site || site.status === 'deleted') return { answer: '404 site_not_found', site: null, events: [], model };
  const takenDown = kind === 'takedown';
  const events = site.takenDown === takenDown ? [] : [takenDown ? 'SiteTakenDown' : 'SiteRestored'];
  return changed(model, site, { ifRevision: null }, events, { takenDown });
}

/** Invited, and let in: the second answer tells. */
function join(model: Model, site: SiteModel | undefined, act: AskedAct & { readonly kind: 'join' }): Outcome {
  const refusal = refusalOf(site, act.by, mayOwn(act.by), true);
  if (refusal || !site) return { answer: refusal ?? '', site: null, events: [], model };
  if (site.members[act.person]) return { answer: '400 invalid_request', site: null, events: [], model };
  const members = { ...site.members, [act.person]: act.role };
  return changed(model, site, { ifRevision: null }, ['MemberInvited', `MemberAdded ${act.person} ${act.role}`], {
    members,
  });
}

function ofMember(
  model: Model,
  site: SiteModel | undefined,
  act: AskedAct & ({ readonly kind: 'role' } | { readonly kind: 'remove' }),
): Outcome {
  const isOwn = act.kind === 'remove' && act.by === act.person && site?.members[act.person] !== undefined;
  const refusal = refusalOf(site, act.by, (there) => isOwn || mayOwn(act.by)(there), true);
  const refused = (answer: string): Outcome => ({ answer, site: null, events: [], model });
  if (refusal || !site) return refused(refusal ?? '');
  const before = site.members[act.person];
  if (!before) return refused('404 not_found');
  const done = act.kind === 'remove' ? '204' : '200';
  if (act.kind === 'role' && before === act.role) return changed(model, site, { ifRevision: null }, [], {}, done);
  const owners = Object.values(site.members).filter((role) => role === 'owner').length;
  if (before === 'owner' && owners === 1) return refused('409 last_owner');
  const { [act.person]: _, ...others } = site.members;
  const members = act.kind === 'remove' ? others : { ...site.members, [act.person]: act.role };
  if (act.kind === 'role')
    return changed(
      model,
      site,
      { ifRevision: null },
      [`MemberRoleChanged ${act.person} ${act.role}`],
      { members },
      done,
    );
  const isEnded = ({ maker, state }: Token) => maker === act.person && state === 'good';
  const ended = site.tokens.flatMap((token, at) => (isEnded(token) ? [`AccessTokenRevoked ${at + 1}`] : []));
  const tokens = site.tokens.map((token) => (isEnded(token) ? { ...token, state: 'removed' as const } : token));
  const events = [`MemberRemoved ${act.person}`, ...ended];
  return changed(model, site, { ifRevision: null }, events, { members, tokens }, done);
}

/** What a write may leave behind that began and was not done: the name that it asked for, kept from others. */
export function withHold(model: Model, act: AskedAct): Model {
  const slug = act.kind === 'post' ? act.slug : act.kind === 'rename' ? act.newSlug : null;
  if (slug === null || siteAt(model, slug)) return model;
  const holder = act.kind === 'rename' ? (siteAt(model, act.slug)?.key ?? '') : '';
  return { ...model, maybeHeld: { ...model.maybeHeld, [slug]: holder } };
}
