import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Response } from 'superagent';
import type { Fault, ReachedStep } from './fault-points.js';
import { type Given, masked, type Observed, observe } from './observed.js';
import type { NamedVerb } from './verb.js';
import type { World } from './world.js';

export type Reference = {
  readonly before: Observed;
  readonly after: Observed;
  /** Observations after the request was sent a second time. */
  readonly again: Observed;
  readonly reached: readonly ReachedStep[];
};

export type Outcome =
  | { readonly kind: 'held' }
  /** The step was not reached in this trial, because background work varies between runs. */
  | { readonly kind: 'not reached' }
  | { readonly kind: 'broken'; readonly why: string };

/** Reports whether a response to a failed step is acceptable: retry later, no space, or repository host unreachable. */
const isToldWell = ({ status, body }: Response) =>
  status === 503 || status === 507 || (status === 422 && body.code === 'repo_unreachable');

/** Acceptable error codes of background work that fails after the response. */
const CODES_OF_WORK: ReadonlySet<string> = new Set(['storage_full', 'unavailable', 'repo_unreachable']);

/**
 * Removes everything that failed jobs change: the list of jobs and, in the site's history, the queued jobs, the
 * revisions and the total.
 */
const withoutJobs = ({ 'site /jobs': _, ...all }: Observed): Observed =>
  JSON.parse(
    JSON.stringify(all, (key, value) => {
      if (key === 'revision' || key === 'total') return '*';
      return Array.isArray(value) ? value.filter((each) => each?.type !== 'SiteJobQueued') : value;
    }),
  );

/** Maximum time for an operation and its background work to reach a step, in milliseconds. */
const PATIENCE = 20_000;
/** Maximum time to wait for a step that only background work reaches, in milliseconds. */
const NOW_AND_THEN = 4_000;
/**
 * Maximum time to wait for an expected state, in milliseconds. A read waits only two seconds for the read models, so on
 * a slow machine its response may be stale.
 */
const CATCHES_UP = 10_000;

export async function refer(world: World, verb: NamedVerb): Promise<Reference> {
  const given = await verb.prepare(world);
  const before = await seen(world, verb, given);
  await world.points.begin();
  const first = await ask(world, verb, given);
  await verb.settled?.(world, given);
  const after = await seen(world, verb, given);
  const { reached, unknown } = await world.points.reached();
  if (unknown.length > 0) throw new Error(`Steps that are not found in the code: ${unknown.join('\n')}`);
  if (!first || first.status >= 400) throw new Error(`It was refused: ${first?.status} ${JSON.stringify(first?.body)}`);
  await ask(world, verb, given);
  await verb.settled?.(world, given);
  return { before, after, again: await seen(world, verb, given), reached };
}

/**
 * Runs the operation with a fault, repeats it without the fault, and checks whether the outcome is as promised. With
 * `waits`, waits for a step that is reached only occasionally.
 */
export async function attempt(
  world: World,
  verb: NamedVerb,
  reference: Reference,
  fault: Fault,
  { waits = false } = {},
): Promise<Outcome> {
  const given = await verb.prepare(world);
  const before = await seen(world, verb, given);
  if (!isDeepStrictEqual(before, reference.before))
    throw new Error(`Not the same before: ${difference(reference.before, before)}`);

  await world.points.begin([fault]);
  const told: string[] = [];
  const say = (word: string) => told.push(word);
  const broken = (why: string): Outcome => ({ kind: 'broken', why: `${told.join(', ')}: ${why}` });

  let answer = await ask(world, verb, given);
  let state: Observed | null = null;
  let isFired = false;
  try {
    const settled = verb.settled?.(world, given);
    await Promise.all([settled, settled && fault.always && roomAgain(world, settled)]);
    if (waits) await fired(world, NOW_AND_THEN);
    state = await seen(world, verb, given);
    const { faults } = await world.points.reached();
    isFired = faults.some(({ fired }) => fired);
    await world.points.begin();
  } catch (error) {
    if (fault.what !== 'die') throw error;
    await Promise.race([world.gone(), late()]);
    isFired = true;
  }
  if (!isFired) return { kind: 'not reached' };
  const isAcknowledged = answer !== null && answer.status < 400;
  say(answer ? `answered ${answer.status}` : 'not answered');
  if (answer && answer.status >= 400 && !isToldWell(answer))
    return broken(`a step that failed is told as ${JSON.stringify(answer.body)}`);

  if (fault.what === 'die') {
    await world.start();
    await verb.settled?.(world, given).catch(() => undefined);
  }
  const allowed = isAcknowledged ? [reference.after] : [reference.after, reference.before];
  state = await (verb.between || verb.later ? seen(world, verb, given) : seenOnce(world, verb, given, allowed));
  const isDone = isDeepStrictEqual(state, reference.after);
  const isUndone = isDeepStrictEqual(state, reference.before);
  say(isDone ? 'done' : isUndone ? 'not done' : 'between');
  if (isAcknowledged && !isDone && verb.later) {
    const failedAs = await verb.later.failedAs(world, given);
    if (failedAs !== null && CODES_OF_WORK.has(failedAs)) {
      const { status, body } = await verb.later.again(world, given);
      if (status >= 400) return broken(`work that failed cannot be done again: ${JSON.stringify(body)}`);
      await verb.settled?.(world, given);
      const [expected, last] = [reference.after, await seen(world, verb, given)].map(withoutJobs);
      return isDeepStrictEqual(expected, last)
        ? { kind: 'held' }
        : broken(`done again it is another: ${difference(expected, last)}`);
    }
  }
  if (isAcknowledged && !isDone)
    return broken(`what was acknowledged is not there: ${difference(reference.after, state)}`);
  if (!isDone && !isUndone && !verb.between)
    return broken(
      `it is half done: ${difference(reference.after, state)}\nand before ${difference(reference.before, state)}`,
    );

  answer = await ask(world, verb, given);
  say(`again ${answer?.status}`);
  if (answer?.status === 503) {
    await delay(Number(answer.headers['retry-after']) * 1_000);
    answer = await ask(world, verb, given);
    say(`when it was told to ${answer?.status}`);
  }
  if (!isDone && verb.meanwhile && answer?.body.code === verb.meanwhile.code) {
    await verb.meanwhile.pass(world, given);
    answer = await ask(world, verb, given);
    say(`when that was over ${answer?.status}`);
  }
  await verb.settled?.(world, given);
  const last = await seenOnce(world, verb, given, [
    reference.after,
    ...(verb.again === 'another' ? [reference.again] : []),
    ...(verb.again === 'anew' ? [state] : []),
  ]);
  if (!isDone && verb.again !== 'anew' && (answer === null || answer.status >= 400))
    return broken(`it cannot be tried again: ${JSON.stringify(answer?.body)}`);
  if (answer && answer.status >= 500) return broken(`tried again it fails: ${JSON.stringify(answer.body)}`);
  const isRight =
    isDeepStrictEqual(last, reference.after) ||
    ((isDone || !isUndone) && verb.again === 'another' && isDeepStrictEqual(last, reference.again)) ||
    (verb.again === 'anew' && isDeepStrictEqual(last, state));
  return isRight ? { kind: 'held' } : broken(`tried again it is another: ${difference(reference.after, last)}`);
}

const ask = (world: World, verb: NamedVerb, given: Given): Promise<Response | null> =>
  verb
    .ask(world, given)
    .set('idempotency-key', `key-of-a-request-that-fails-${given.mark}`)
    .then(
      (answer) => answer,
      (error) => {
        if (/openapi/.test(String(error))) throw error;
        return null;
      },
    );

async function seen(world: World, verb: NamedVerb, given: Given): Promise<Observed> {
  const all = await observe(world, given, [...(given.slug ? [given.slug] : []), ...(verb.slugs?.(given) ?? [])]);
  return verb.look ? { ...all, ...masked({ look: await verb.look(world, given) }, given.mark) } : all;
}

/** Observes repeatedly until one of these states is seen, for a limited time. Returns the last observation. */
async function seenOnce(world: World, verb: NamedVerb, given: Given, expected: readonly Observed[]): Promise<Observed> {
  for (const end = Date.now() + CATCHES_UP; ; await delay(250)) {
    const state = await seen(world, verb, given);
    if (Date.now() > end || expected.some((each) => isDeepStrictEqual(each, state))) return state;
  }
}

/** Frees space on the full disk shortly after the fault has occurred, so that background work can continue. */
async function roomAgain(world: World, settled: Promise<void>): Promise<void> {
  let isSettled = false;
  const settles = settled.finally(() => {
    isSettled = true;
  });
  await Promise.race([settles, fired(world, PATIENCE, () => isSettled)]);
  if (isSettled) return;
  await delay(500);
  await world.points.giveRoom();
}

/** Reports whether the fault occurs within `patience` milliseconds. */
async function fired({ points }: World, patience: number, isOver = () => false): Promise<boolean> {
  for (const end = Date.now() + patience; Date.now() < end && !isOver(); await delay(100)) {
    const { faults } = await points.reached();
    if (faults.some((each) => each.fired)) return true;
  }
  return false;
}

const late = () =>
  new Promise<never>((_, reject) => setTimeout(() => reject(new Error('The process did not end.')), PATIENCE).unref());

export function difference(expected: unknown, found: unknown, path = ''): string {
  if (isDeepStrictEqual(expected, found)) return '';
  const isOpen = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
  if (!isOpen(expected) || !isOpen(found) || Array.isArray(expected) !== Array.isArray(found))
    return `${path}: ${JSON.stringify(expected)?.slice(0, 300)} became ${JSON.stringify(found)?.slice(0, 300)}\n`;
  const keys = new Set([...Object.keys(expected), ...Object.keys(found)]);
  return [...keys].map((key) => difference(expected[key], found[key], `${path}/${key}`)).join('');
}
