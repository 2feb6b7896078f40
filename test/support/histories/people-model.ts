import {
  type AskedAct,
  changed,
  isOwner,
  type Model,
  type Outcome,
  type Person,
  refusalOf,
  type SiteModel,
  type Token,
} from './site-model.js';

/** Models the creation and revocation of tokens, which only users can do. */
export function ofToken(
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

/** Models an invitation and its acceptance as one action. Its response is that of the acceptance. */
export function join(model: Model, site: SiteModel | undefined, act: AskedAct & { readonly kind: 'join' }): Outcome {
  const refusal = refusalOf(site, act.by, isOwner(act.by), true);
  if (refusal || !site) return { answer: refusal ?? '', site: null, events: [], model };
  if (site.members[act.person]) return { answer: '409 already_member', site: null, events: [], model };
  const members = { ...site.members, [act.person]: act.role };
  return changed(model, site, { ifRevision: null }, ['MemberInvited', `MemberAdded ${act.person} ${act.role}`], {
    members,
  });
}

export function ofMember(
  model: Model,
  site: SiteModel | undefined,
  act: AskedAct & ({ readonly kind: 'role' } | { readonly kind: 'remove' }),
): Outcome {
  const isOwn = act.kind === 'remove' && act.by === act.person && site?.members[act.person] !== undefined;
  const refusal = refusalOf(site, act.by, (there) => isOwn || isOwner(act.by)(there), true);
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
