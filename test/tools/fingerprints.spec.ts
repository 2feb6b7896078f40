import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import {
  FILE,
  findRemedy,
  parseFingerprints,
  renderFingerprints,
  reviewFingerprints,
  type VersionFingerprint,
} from '../../tools/fingerprints/fingerprints.js';
import { computeFingerprints, unlistedReadModels, unlistedStates } from '../support/events/current-fingerprints.js';
import { expectNone } from '../support/jest/expect-none.js';

describe('The recorded fingerprints of event types, states and read models', () => {
  const recorded = parseFingerprints(readFileSync(FILE, 'utf8'));
  const reviews = reviewFingerprints(recorded, computeFingerprints());

  it.each(reviews.map((review) => [review.name, review] as const))(
    'the recorded fingerprint matches the code: %s',
    (_, review) => expect(findRemedy(review, recorded)).toBeNull(),
  );

  it('the file of fingerprints is exactly what `npm run fingerprints` writes', () => {
    const written = renderFingerprints(reviews.flatMap((review) => ('values' in review ? [review] : [])));
    expect({ [`${FILE}, which \`npm run fingerprints\` writes`]: readFileSync(FILE, 'utf8') }).toEqual({
      [`${FILE}, which \`npm run fingerprints\` writes`]: written,
    });
  });

  it('the recorded fingerprints include every state', () =>
    expectNone(unlistedStates(), 'List these states in test/support/events/current-fingerprints.ts'));

  it('the recorded fingerprints include every read model', () =>
    expectNone(unlistedReadModels(), 'Move these read models to src/projections/models/*.projection.ts'));
});

describe('Recording a fingerprint', () => {
  const rolledBack = { type: 'SiteRolledBack', schema: 2, fingerprint: 'bbb', meaning: ['movesLive', 'isDeploy'] };
  const site: VersionFingerprint = { kind: 'state', file: 'src/site.state.ts', version: 3, fingerprint: 'ccc' };
  const deploys: VersionFingerprint = { ...site, kind: 'read-model', file: 'src/deploy.projection.ts' };

  /** Compares current fingerprints with these lines of a file. Returns the new lines, or what has to be done first. */
  const linesAfter = (lines: readonly string[], current: Parameters<typeof reviewFingerprints>[1], accepted?: string) =>
    reviewFingerprints(parseFingerprints(lines.join('\n')), current, new Set(accepted ? [accepted] : [])).map(
      (review) =>
        'refusal' in review ? review.refusal : renderFingerprints([review]).trim().split('\n').slice(1).join('\n'),
    );
  const events = (event: typeof rolledBack, lines: readonly string[], accepted?: string) =>
    linesAfter(lines, { events: [event], versions: [] }, accepted);
  const version = (each: VersionFingerprint, lines: readonly string[]) =>
    linesAfter(lines, { events: [], versions: [each] });

  const MEANING = 'meaning SiteRolledBack: isDeploy movesLive';

  it('the fingerprint of a new event type is recorded with the type’s consequences, such as `movesLive`', () =>
    expect(events({ ...rolledBack, schema: 1 }, [])).toEqual(['event SiteRolledBack: bbb', MEANING]));

  it('a fingerprint is added for each new schema version of an event type', () =>
    expect(events(rolledBack, ['event SiteRolledBack: aaa', MEANING])).toEqual([
      'event SiteRolledBack: aaa bbb',
      MEANING,
    ]));

  it('no consequences are recorded for an event type that has none', () =>
    expect(events({ ...rolledBack, meaning: [] }, ['event SiteRolledBack: aaa bbb'])).toEqual([
      'event SiteRolledBack: aaa bbb',
      '',
    ]));

  it.each([
    ['whose schema changes without an upcast', 2, ['event SiteRolledBack: aaa ddd', MEANING], /Add an upcast/],
    ['that loses an upcast', 2, ['event SiteRolledBack: aaa bbb ccc', MEANING], /has lost an upcast/],
    ['with two new upcasts', 4, ['event SiteRolledBack: aaa bbb', MEANING], /Combine their upcasts/],
    [
      'whose consequences change',
      2,
      ['event SiteRolledBack: aaa bbb', 'meaning SiteRolledBack: movesLive'],
      /changed from “movesLive” to “isDeploy movesLive”/,
    ],
  ])('a fingerprint is refused for an event type %s', (_, schema, lines, message) =>
    expect(events({ ...rolledBack, schema }, lines)).toContainEqual(expect.stringMatching(message)),
  );

  it('a fingerprint is replaced if the command names its event type', () =>
    expect(
      events(rolledBack, ['event SiteRolledBack: aaa ddd', 'meaning SiteRolledBack: movesLive'], 'SiteRolledBack'),
    ).toEqual(['event SiteRolledBack: aaa bbb', MEANING]));

  it('an event type with a recorded fingerprint can’t be removed from the code', () =>
    expect(linesAfter(['event SiteRolledBack: aaa'], { events: [], versions: [] })).toEqual([
      expect.stringMatching(/^SiteRolledBack is missing from the catalogue/),
    ]));

  it.each([site, deploys])('the fingerprint of a new $kind is recorded with its version', (each) =>
    expect(version(each, [])).toEqual([`${each.kind} ${each.file}: 3 ccc`]),
  );

  it.each([site, deploys])('the fingerprint of a $kind is replaced when its version is incremented', (each) =>
    expect(version(each, [`${each.kind} ${each.file}: 2 aaa`])).toEqual([`${each.kind} ${each.file}: 3 ccc`]),
  );

  it.each([site, deploys])('a new fingerprint is refused when a $kind changes but its version does not', (each) =>
    expect(version(each, [`${each.kind} ${each.file}: 3 aaa`])).toEqual([
      expect.stringContaining(`Increment \`version\` in ${each.file}.`),
    ]),
  );

  it.each([site, deploys])('a new fingerprint is refused when the version of a $kind decreases', (each) =>
    expect(version(each, [`${each.kind} ${each.file}: 4 ccc`])).toEqual([
      expect.stringContaining('has decreased from 4 to 3'),
    ]),
  );
});

describe('The message of a failing fingerprint test', () => {
  it.each([
    [{ name: 'event SiteRolledBack', values: ['aaa'] }, 'Run `npm run fingerprints`'],
    [
      { name: 'state src/site.state.ts', refusal: 'Increment `version` in src/site.state.ts.' },
      'Then run `npm run fingerprints`',
    ],
  ])('the message names the command that writes the file: %j', (review, words) =>
    expect(findRemedy(review, new Map())).toContain(words),
  );
});
