import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { sampleEvents } from '../../test/support/events/sampled-events.js';
import {
  describeRemedy,
  fingerprint,
  listChanges,
  type Versioned,
} from '../../test/support/events/version-fingerprints.js';
import { domainEvents } from '../events/domain.events.js';
import type { AnyEventType } from '../events/event-type.js';
import { jobEvents } from '../events/job.events.js';
import { runEvents } from '../events/run.events.js';
import { siteEvents } from '../events/site/site.events.js';
import { slugEvents } from '../events/slug.events.js';
import { workEvents } from '../events/work.events.js';
import type { DomainEvent, Fold } from '../kernel/decider.js';
import { work } from './connector/work.state.js';
import { domain } from './domains/domain.state.js';
import { job } from './jobs/job.state.js';
import { run } from './runs/run.state.js';
import { lastJob } from './sites/publish/slugs/last-job.state.js';
import { slug } from './sites/publish/slugs/slug.state.js';
import { site } from './sites/site/state/site.state.js';

/**
 * The version of each fold, and a fingerprint of its states.
 *
 * If this test fails, events lead to other states than before, but snapshots contain the earlier ones. Increment
 * `version` in the named file and copy the new fingerprint. Never change a fingerprint without its version.
 */
const versions: Record<string, Versioned> = {
  'src/modules/connector/work.state.ts': [1, '24a002e0e266'],
  'src/modules/domains/domain.state.ts': [1, 'cae71af833db'],
  'src/modules/jobs/job.state.ts': [2, '7e3797580feb'],
  'src/modules/runs/run.state.ts': [1, '379dbad55d7b'],
  'src/modules/sites/publish/slugs/last-job.state.ts': [1, '7081e5fc771f'],
  'src/modules/sites/publish/slugs/slug.state.ts': [2, '9e8dd48a988c'],
  'src/modules/sites/site/state/site.state.ts': [16, 'd41f39b7ce2a'],
};

const versioned = <State, Event extends DomainEvent>(
  fold: Fold<State, Event>,
  types: readonly AnyEventType[],
): Versioned => {
  const names = new Set(types.map(({ type }) => type));
  const isOurs = (event: DomainEvent): event is Event => names.has(event.type);
  const events: readonly DomainEvent[] = sampleEvents();
  return [fold.version, fingerprint(listChanges(fold, events.filter(isOurs)))];
};

const folds: Record<string, () => Versioned> = {
  'src/modules/connector/work.state.ts': () => versioned(work, workEvents),
  'src/modules/domains/domain.state.ts': () => versioned(domain, domainEvents),
  'src/modules/jobs/job.state.ts': () => versioned(job, jobEvents),
  'src/modules/runs/run.state.ts': () => versioned(run, runEvents),
  'src/modules/sites/publish/slugs/last-job.state.ts': () => versioned(lastJob, jobEvents),
  'src/modules/sites/publish/slugs/slug.state.ts': () => versioned(slug, slugEvents),
  'src/modules/sites/site/state/site.state.ts': () => versioned(site, siteEvents),
};

describe('The version of each state', () => {
  it('is compared here', () => {
    const files = globSync('src/**/*.ts', { exclude: (name) => name.endsWith('spec.ts') });
    expect(files.filter((file) => /: Fold<\w+, \w+> = \{/.test(readFileSync(file, 'utf8'))).sort()).toEqual(
      Object.keys(folds),
    );
  });

  it.each(Object.entries(folds))('is incremented if the states change: %s', (file, fold) =>
    expect(describeRemedy(file, fold(), versions[file])).toBeNull(),
  );
});
