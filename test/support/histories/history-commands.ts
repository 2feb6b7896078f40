import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import fc, { type AsyncCommand } from 'fast-check';
import { chainFaults, disagreements } from './agreement.js';
import { type Asked, explained } from './explain.js';
import {
  acting,
  fromRepository,
  type Intended,
  intended,
  joining,
  type Run,
  settled,
  slugs,
  takesKey,
  withoutEnds,
} from './intended-acts.js';
import { recordedSites } from './recorded.js';
import { type Model, nothing, type SiteModel } from './site-model.js';
import type { Place, TwoProcesses } from './two-processes.js';

/** Time limit for read models to catch up with the log. */
const AGREES_WITHIN_MS = 20_000;

/** The model of everything that the service has promised so far. */
export type Kept = { state: Model };

/** Sends actions concurrently, sometimes while a process is killed, and then checks everything. */
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
    const readsBack = this.killed === null;
    const sending = Promise.all(
      acts.map(({ act, place, key }) => processes.act(place, act, known, { key, readsBack })),
    );
    if (this.killed) {
      await delay(this.killed.afterMs);
      await processes.kill(this.killed.place);
    }
    const answers = await sending;
    const asked: Asked[] = [];
    for (const [n, { act, place, key }] of acts.entries()) {
      const first = answers[n] ?? null;
      // A caller that gets no response repeats the request. The service executes the request only once.
      const again =
        first === null && takesKey.has(act.kind) ? await processes.act(place, act, known, { key, readsBack }) : null;
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

/** A restart or a rebuild of the read models. Neither changes the model. */
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

/**
 * Expects that all responses match the log. A read waits only two seconds for the read models, so on a slow machine its
 * response may be stale at first.
 */
async function expectAgreement({ processes, name }: Run, sites: readonly SiteModel[]): Promise<void> {
  const all = slugs.map((each) => `${name}-${each}`);
  const recorded = await recordedSites(processes.pool, all, processes.people);
  const enough = performance.now() + AGREES_WITHIN_MS;
  for (;;) {
    const faults = await disagreements(processes, sites, recorded);
    if (faults.length === 0) return;
    if (performance.now() > enough) throw new Error(faults.join('\n'));
    await delay(250);
  }
}

type Kinds = { readonly kills: number; readonly rebuilds: number; readonly repositories?: number };

/** Generates histories of up to this many steps. `kills`, `rebuilds` and `repositories` are approximate percentages. */
export const histories = ({ kills, rebuilds, repositories = 0 }: Kinds, steps: number) =>
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
        repositories,
        intended(fromRepository).map((one) => new Acting([one], null)),
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

const repeated = <Value>(times: number, value: Value): Value[] => Array.from({ length: times }, () => value);

/** Starts a history with two sites: Ann's, with Ben as an editor, and an anonymous one. */
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

export async function finish(kept: Kept, run: Run): Promise<void> {
  await expectAgreement(run, Object.values(kept.state.sites));
  for (const site of Object.values(kept.state.sites)) {
    const faults = await chainFaults(run.processes, site);
    if (faults.length > 0) throw new Error(faults.join('\n'));
  }
}
