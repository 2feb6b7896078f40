import { nameWantedBy, outcomesOf, withHold } from './outcomes.js';
import { type AskedAct, type Model, siteAt } from './site-model.js';

/** One of several concurrent actions, and its response, or null if there was none. */
export type Asked = { readonly act: AskedAct; readonly answer: Answer | null };
export type Answer = {
  /** Status and code, such as `409 slug_taken`. */
  readonly told: string;
  readonly revision: number | null;
};

/** Events by site, one line each, oldest first. */
export type Told = Readonly<Record<string, readonly string[]>>;

/**
 * Finds an order of the actions that explains all responses and all events recorded meanwhile. An action without a
 * response may have happened at any time, or never. If several orders are possible, their models differ only in the
 * names that may be reserved by mistake, and the returned model contains all of these names. Returns null if no order
 * is possible.
 */
export function explained(model: Model, asked: readonly Asked[], told: Told): Model | null {
  const late = new Set(asked.filter((one) => cameSecond(model, asked, one)));
  const found = [...orders(model, asked, told, late)];
  const [first] = found;
  if (!first) return null;
  return { ...first, maybeHeld: Object.assign({}, ...found.map(({ maybeHeld }) => maybeHeld)) };
}

/**
 * Reports whether a deploy to a free name was refused with `slug_taken` because a concurrent action got the name. A
 * name is reserved before a site has it, so the model of the sites does not explain this refusal.
 */
function cameSecond(model: Model, asked: readonly Asked[], one: Asked): boolean {
  if (one.act.kind !== 'post' || one.answer?.told !== '409 slug_taken' || siteAt(model, one.act.slug)) return false;
  return asked.some(
    (other) =>
      other !== one &&
      nameWantedBy(other.act) === one.act.slug &&
      (other.answer === null || other.answer.told === '200'),
  );
}

function* orders(model: Model, left: readonly Asked[], told: Told, late: ReadonlySet<Asked>): Generator<Model> {
  if (left.every(({ answer }) => answer === null) && Object.values(told).every((events) => events.length === 0)) {
    yield left.reduce((after, { act }) => withHold(after, act), model);
    return;
  }
  for (const one of left) {
    const others = left.filter((each) => each !== one);
    for (const { answer, site, events, model: after } of outcomesOf(model, one.act)) {
      if (one.answer && !matches(one.answer, answer, site === null ? null : (after.sites[site]?.revision ?? null)))
        continue;
      if (one.answer === null && events.length === 0) continue;
      const rest = withoutFirst(told, site, events);
      if (rest) yield* orders(after, others, rest, late);
    }
    if (late.has(one)) yield* orders(model, others, told, late);
    // A refused action may still have reserved its name, if it was refused by a later check or after losing ten races
    // in a row (`409 conflict`).
    if (one.answer && /^409 conflict|^412|^40[134]|^451/.test(one.answer.told)) {
      const outcomes = outcomesOf(model, one.act);
      if (one.answer.told === '409 conflict' || outcomes.some(({ answer }) => answer === one.answer?.told))
        if (one.act.kind === 'rename' || one.answer.told === '409 conflict')
          yield* orders(withHold(model, one.act), others, told, late);
    }
  }
}

const matches = ({ told, revision }: Answer, expected: string, at: number | null) =>
  told === expected && (revision === null || at === null || revision === at);

/**
 * Removes these events from the start of the site's unexplained events. Returns null if the unexplained events do not
 * start with them.
 */
function withoutFirst(told: Told, site: string | null, events: readonly string[]): Told | null {
  if (site === null || events.length === 0) return told;
  const recorded = told[site] ?? [];
  if (!events.every((event, n) => recorded[n] === event)) return null;
  return { ...told, [site]: recorded.slice(events.length) };
}
