import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import fc, { type Arbitrary, type AsyncCommand } from 'fast-check';
import { chainFaults, disagreements } from './agreement.js';
import { type Asked, explained } from './explain.js';
import { type RecordedSite, recordedSites } from './recorded.js';
import { type AskedAct, type By, type Model, nothing, type Person, type Role, type SiteModel } from './site-model.js';
import type { Place, TwoProcesses } from './two-processes.js';

/** What one history is run with. */
export type Run = {
  readonly processes: TwoProcesses;
  /** Of its slugs and marks, which no other history has. */
  readonly name: string;
  marks: number;
  acts: number;
};
/** What is promised so far. */
export type Kept = { state: Model };

const slugs = ['a', 'b', 'c', 'd'] as const;
const people: readonly Person[] = ['ann', 'ben', 'cat'];
const roles: readonly Role[] = ['viewer', 'editor', 'owner'];

/** An act before it is known what is there: whose token, which revision. */
type Intended = {
  readonly act: Record<string, unknown> & { readonly kind: AskedAct['kind']; readonly slug: string };
  readonly by: Person | 'none' | 'token' | 'script';
  readonly ifMatch: 'none' | 'current' | 'stale';
  readonly place: Place;
};

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
const acting = fc.oneof(...kinds.map(([weight, arbitrary]) => ({ weight, arbitrary })));
const joining = fc.record({ kind: fc.constant('join' as const), slug, person, role: fc.constantFrom(...roles) });

const intended = (act: Arbitrary<Intended['act']>): Arbitrary<Intended> =>
  fc.record({
    act,
    by: fc.oneof(
      { weight: 5, arbitrary: fc.constant('ann' as const) },
      { weight: 3, arbitrary: fc.constantFrom('ben' as const, 'cat' as const, 'none' as const, 'token' as const) },
      { weight: 2, arbitrary: fc.constant('script' as const) },
    ),
    ifMatch: fc.constantFrom('none', 'none', 'current', 'stale'),
    place: fc.constantFrom(0 as const, 1 as const),
  });

const takesIfMatch = new Set(['patch', 'rollback', 'describe', 'access', 'rename', 'delete']);
const takesKey = new Set(['post', 'patch', 'rollback']);

/** Acts at the same time, with a process that is killed meanwhile or not; then everything is looked at. */
class Acting implements AsyncCommand<Kept, Run> {
  constructor(
    private readonly intended: readonly Intended[],
    private readonly killed: { readonly place: Place; readonly afterMs: number } | null,
  ) {}

  check = () => true;

  async run(kept: Kept, run: Run): Promise<void> {
    const { processes } = run;
    const all = slugs.map((each) => `${run.name}-${each}`);
    const before = await recordedSites(processes.pool, all, processes.people);
    const known = (at: string) => {
      const site = Object.values(kept.state.sites).find(({ slug: own, formerSlugs }) =>
        [own, ...formerSlugs].includes(at),
      );
      return before.get(site?.key ?? at);
    };
    const acts = this.intended.map((each) => ({
      act: settled(each, kept.state, run, before, this.killed !== null),
      place: each.place,
      key: randomUUID(),
    }));
    run.acts += acts.length;
    const sending = Promise.all(acts.map(({ act, place, key }) => processes.act(place, act, known, key)));
    if (this.killed) {
      await delay(this.killed.afterMs);
      await processes.kill(this.killed.place);
    }
    const answers = await sending;
    const asked: Asked[] = [];
    for (const [n, { act, place, key }] of acts.entries()) {
      const first = answers[n] ?? null;
      // Whoever got no answer asks again: it is done once, whichever of the two is answered.
      const again = first === null && takesKey.has(act.kind) ? await processes.act(place, act, known, key) : null;
      asked.push({ act, answer: first ?? again });
    }
    const after = await recordedSites(processes.pool, all, processes.people);
    const told = Object.fromEntries(
      [...after].map(([key, site]) => [key, site.told.slice(before.get(key)?.told.length ?? 0)]),
    );
    const next = explained(kept.state, asked, told);
    if (!next)
      throw new Error(
        `No order explains it.\nWas: ${JSON.stringify(kept.state)}\nAsked: ${JSON.stringify(asked)}\nRecorded: ${JSON.stringify(told)}`,
      );
    kept.state = next;
    const touched = Object.values(next.sites).filter(
      ({ key, slug: own, formerSlugs }) =>
        (told[key]?.length ?? 0) > 0 || asked.some(({ act }) => [own, ...formerSlugs].includes(act.slug)),
    );
    await expectAgreement(run, this.killed ? Object.values(next.sites) : touched);
  }

  toString = () => `${this.killed ? `killed ${JSON.stringify(this.killed)} ` : ''}${JSON.stringify(this.intended)}`;
}

/** Something that changes nothing of what is promised. */
class Disturbed implements AsyncCommand<Kept, Run> {
  constructor(
    private readonly name: string,
    private readonly disturb: (processes: TwoProcesses) => Promise<void>,
  ) {}

  check = () => true;

  async run({ state }: Kept, run: Run): Promise<void> {
    await this.disturb(run.processes);
    await expectAgreement(run, Object.values(state.sites));
  }

  toString = () => this.name;
}

async function expectAgreement({ processes, name }: Run, sites: readonly SiteModel[]): Promise<void> {
  const all = slugs.map((each) => `${name}-${each}`);
  const faults = await disagreements(processes, sites, await recordedSites(processes.pool, all, processes.people));
  if (faults.length > 0) throw new Error(faults.join('\n'));
}

function settled(
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
  // Which of two passwords holds could not be told where neither was answered: they are the same then.
  const password = 'isNew' in act && act.isNew ? `${run.name}-p${isKilled ? run.marks : ++run.marks}` : null;
  return {
    ...act,
    slug: full(act.slug),
    ...(act.kind === 'access' && { password }),
    ...('newSlug' in act && { newSlug: full(act.newSlug) }),
    ...((act.kind === 'post' || act.kind === 'patch') && { mark: `${run.name}-m${++run.marks}` }),
    by: act.kind === 'takedown' || act.kind === 'restore' ? 'operator' : whoActs(by, at, run.processes, recorded),
    ifRevision: ifMatch === 'none' || revision === null ? null : ifMatch === 'current' ? revision : revision + 7,
  } as AskedAct;
}

/** A script has one of the tokens of this site, or where it has none, of any. */
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

type Kinds = { readonly kills: number; readonly rebuilds: number };

/** Histories of so many steps at most. `kills` and `rebuilds` are how often, of a hundred steps, about. */
export const histories = ({ kills, rebuilds }: Kinds, steps: number) =>
  fc.commands<Kept, Run, false>(
    [
      ...repeated(
        8,
        intended(acting).map((one) => new Acting([one], null)),
      ),
      ...repeated(
        6,
        fc.array(intended(acting), { minLength: 2, maxLength: 4 }).map((several) => new Acting(several, null)),
      ),
      ...repeated(
        2,
        intended(joining).map((one) => new Acting([{ ...one, by: 'ann' }], null)),
      ),
      ...repeated(
        kills,
        fc
          .tuple(
            fc.array(intended(acting), { minLength: 1, maxLength: 3 }).map(withoutEnds),
            fc.record({ place: fc.constantFrom(0 as const, 1 as const), afterMs: fc.integer({ min: 0, max: 25 }) }),
          )
          .map(([several, killed]) => new Acting(several, killed)),
      ),
      ...repeated(
        rebuilds,
        fc.constantFrom(
          new Disturbed('rebuilt', (processes) => processes.projections('rebuild')),
          new Disturbed('restarted', (processes) => processes.restart(0)),
        ),
      ),
    ],
    { maxCommands: steps, size: 'max' },
  );

/** A token is over before its end is recorded: where that was not answered, it may be either. */
const withoutEnds = (several: readonly Intended[]) => several.filter(({ act }) => act.kind !== 'endToken');

const repeated = <Value>(times: number, value: Value): Value[] => Array.from({ length: times }, () => value);

/** Each begins with a site of Ann’s, on which Ben is an editor, and one that is nobody’s. */
export async function begin(
  processes: TwoProcesses,
  name: string,
): Promise<{ readonly kept: Kept; readonly run: Run }> {
  const run: Run = { processes, name, marks: 0, acts: 0 };
  const kept: Kept = { state: nothing };
  const plain = { ifMatch: 'none', place: 0 } as const;
  const steps: readonly Intended[] = [
    { act: { kind: 'post', slug: 'a' }, by: 'ann', ...plain },
    { act: { kind: 'join', slug: 'a', person: 'ben', role: 'editor' }, by: 'ann', ...plain },
    { act: { kind: 'post', slug: 'b' }, by: 'none', ...plain },
  ];
  for (const step of steps) await new Acting([step], null).run(kept, run);
  return { kept, run };
}

/** What is left to see when a history is over. */
export async function finish(kept: Kept, run: Run): Promise<void> {
  await expectAgreement(run, Object.values(kept.state.sites));
  for (const site of Object.values(kept.state.sites)) {
    const faults = await chainFaults(run.processes, site);
    if (faults.length > 0) throw new Error(faults.join('\n'));
  }
}
