import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CheckedDomain } from '../check/domain-checks.js';
import { FirstChecks } from './first-checks.js';

const www = { hostname: 'www.example.com', siteId: 'site_1' };
const others = { ...www, siteId: 'site_2' };

/** Replaces the table of domain checks. Every call fails until a test sets `isAway` to false. */
class Turns {
  isAway = true;
  readonly scheduled: CheckedDomain[] = [];
  readonly #offered: (readonly CheckedDomain[])[] = [];
  #next = Promise.withResolvers<void>();

  schedule = async (claim: CheckedDomain) => {
    if (this.isAway) throw new Error('the database is away');
    this.scheduled.push(claim);
  };

  offer = async (claims: readonly CheckedDomain[]) => {
    this.#offered.push(claims);
    this.#next.resolve();
    this.#next = Promise.withResolvers();
    if (this.isAway) throw new Error('the database is away');
  };

  async offered() {
    if (this.#offered.length === 0) await this.#next.promise;
    return this.#offered.shift();
  }
}

describe('The first check of a domain', () => {
  let turns: Turns;
  let checks: FirstChecks;
  let ended: AbortController;
  beforeEach(() => {
    [turns, ended] = [new Turns(), new AbortController()];
    checks = new FirstChecks(turns);
  });
  afterEach(() => ended.abort());

  it('the first check of a domain is scheduled only once', async () => {
    turns.isAway = false;
    await checks.schedule(www);
    checks.start(ended.signal);
    turns.isAway = true;
    await checks.schedule(others);
    expect([turns.scheduled, await turns.offered()]).toEqual([[www], [others]]);
  });

  it('scheduling the first check of a domain is retried until it succeeds', async () => {
    for (const claim of [www, www, others]) await checks.schedule(claim);
    checks.start(ended.signal);
    expect(await turns.offered()).toEqual([www, others]);
    turns.isAway = false;
    expect(await turns.offered()).toEqual([www, others]);
    turns.isAway = true;
    await checks.schedule(others);
    expect(await turns.offered()).toEqual([others]);
  });
});
