import { post, redeployed, rolledBack } from './deploys-model.js';
import { join, ofMember, ofToken } from './people-model.js';
import {
  type AskedAct,
  canEdit,
  changed,
  holdsToken,
  isOwner,
  isScript,
  type Model,
  type Outcome,
  refusalOf,
  type SiteModel,
  siteAt,
} from './site-model.js';

/**
 * Returns all possible outcomes of an action, usually one. A script whose token has ended is refused before any other
 * check. If the token's creator was removed or its site was deleted, the token may be reported as invalid or as having
 * no role.
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
    case 'repository':
      return post(model, site, act);
    case 'takedown':
    case 'restore':
      return [operate(model, site, act.kind)];
    case 'join':
      return [join(model, site, act)];
    case 'delete': {
      const refusal = refusalOf(site, act.by, (there) => holdsToken(there, act.by) || isOwner(act.by)(there));
      return [
        refusal || !site
          ? refused(refusal ?? '')
          : changed(model, site, act, ['SiteDeleted'], { status: 'deleted', members: {}, hasToken: false }, '204'),
      ];
    }
    case 'patch':
    case 'rollback': {
      const refusal = refusalOf(site, act.by, canEdit(act.by));
      if (refusal || !site) return [refused(refusal ?? '')];
      return [act.kind === 'patch' ? redeployed(model, site, act) : rolledBack(model, site, act)];
    }
    case 'remove':
    case 'role':
      return [ofMember(model, site, act)];
    default: {
      const refusal = refusalOf(site, act.by, isOwner(act.by), true);
      if (refusal || !site) return [refused(refusal ?? '')];
      if (act.kind === 'rename') return renamed(model, site, act);
      if (act.kind === 'access') return [opened(model, site, act)];
      if (act.kind !== 'describe') return [ofToken(model, site, act)];
      const events = act.title === site.title ? [] : [`SiteDescribed ${act.title}`];
      return [changed(model, site, act, events, { title: act.title })];
    }
  }
}

/**
 * Models a change of the access setting. A site keeps its password until a new one is sent. The new password may be
 * equal to the old one.
 */
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

/**
 * Models a change of a site's name. A name that was reserved but not given to the site remains unavailable to others
 * for some time.
 */
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

export function nameWantedBy(act: AskedAct): string | null {
  if (act.kind === 'rename') return act.newSlug;
  return act.kind === 'post' || act.kind === 'repository' ? act.slug : null;
}

/** Adds the name that an action requested to the names that an unfinished write may keep reserved. */
export function withHold(model: Model, act: AskedAct): Model {
  const slug = nameWantedBy(act);
  if (slug === null || siteAt(model, slug)) return model;
  const holder = act.kind === 'rename' ? (siteAt(model, act.slug)?.key ?? '') : '';
  return { ...model, maybeHeld: { ...model.maybeHeld, [slug]: holder } };
}
