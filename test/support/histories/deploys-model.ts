import {
  type AskedAct,
  canEdit,
  changed,
  isScript,
  isTheirs,
  lastChangesAfter,
  type Model,
  type Outcome,
  refusalOf,
  type SiteModel,
} from './site-model.js';

/** Models a deploy of uploaded files, or of a completed job. The start of a job is also in the site's history. */
export function post(
  model: Model,
  site: SiteModel | undefined,
  act: AskedAct & { readonly kind: 'post' | 'repository' },
): readonly Outcome[] {
  const { by, slug, mark } = act;
  const queued = act.kind === 'repository' ? ['SiteJobQueued'] : [];
  const refused = (answer: string): Outcome => ({ answer, site: null, events: [], model });
  if (site) {
    if (site.status === 'deleted' || !isTheirs(site, by)) return [refused('409 slug_taken')];
    const refusal = refusalOf(site, by, canEdit(by));
    return [refusal ? refused(refusal) : redeployed(model, site, { ...act, publish: true }, queued)];
  }
  if (isScript(by)) return [refused('403 forbidden')];
  if (typeof by === 'object') return [refused('401 unauthenticated')];
  const person = by === 'none' || by === 'operator' ? null : by;
  const events = [
    `SiteCreated ${slug}`,
    ...(person ? [`MemberAdded ${person} owner`] : []),
    ...queued,
    `SiteDeployed 1 ${mark}`,
  ];
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
    lastChanges: lastChangesAfter(events),
  };
  const { [slug]: held, ...maybeHeld } = model.maybeHeld;
  const after: Model = { sites: { ...model.sites, [mark]: made }, maybeHeld };
  const done: Outcome = { answer: '200', site: mark, events, model: after };
  return held === undefined ? [done] : [done, refused('409 slug_taken')];
}

export function redeployed(
  model: Model,
  site: SiteModel,
  act: Pick<AskedAct, 'ifRevision' | 'kind'> & { readonly mark: string; readonly publish: boolean },
  before: readonly string[] = [],
): Outcome {
  const number = site.deploys.length + 1;
  const deploys = [
    ...site.deploys,
    { mark: act.mark, wasPublished: act.publish, replaced: act.publish ? site.live : null },
  ];
  const event = `${act.publish ? 'SiteDeployed' : 'SiteStaged'} ${number} ${act.mark}`;
  return changed(model, site, act, [...before, event], { deploys, ...(act.publish && { live: number }) });
}

export function rolledBack(model: Model, site: SiteModel, act: AskedAct & { readonly kind: 'rollback' }): Outcome {
  const earlier = site.deploys.slice(0, site.live - 1).findLastIndex(({ wasPublished }) => wasPublished) + 1;
  const number = act.to === 'previous' ? earlier : act.to;
  const target = site.deploys[number - 1];
  const done = changed(model, site, act, number === site.live ? [] : [`SiteRolledBack ${number}`], { live: number });
  if (target || done.answer !== '200') return done;
  return { answer: '404 deploy_not_found', site: null, events: [], model };
}
