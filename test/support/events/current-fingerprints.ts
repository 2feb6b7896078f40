import { globSync, readFileSync } from 'node:fs';
import { getMetadataArgsStorage } from 'typeorm';
import { z } from 'zod';
import { catalogue } from '../../../src/events/catalogue.js';
import { domainEvents } from '../../../src/events/domain.events.js';
import type { AnyEventType } from '../../../src/events/event-type.js';
import { jobEvents } from '../../../src/events/job.events.js';
import { runEvents } from '../../../src/events/run.events.js';
import { siteEvents } from '../../../src/events/site/site.events.js';
import { slugEvents } from '../../../src/events/slug.events.js';
import { workEvents } from '../../../src/events/work.events.js';
import type { DomainEvent, Fold } from '../../../src/kernel/decider.js';
import type { Recorded } from '../../../src/kernel/event-store.js';
import { work } from '../../../src/modules/connector/work.state.js';
import { domain } from '../../../src/modules/domains/domain.state.js';
import { job } from '../../../src/modules/jobs/job.state.js';
import { run } from '../../../src/modules/runs/run.state.js';
import { lastJob } from '../../../src/modules/sites/publish/slugs/last-job.state.js';
import { slug } from '../../../src/modules/sites/publish/slugs/slug.state.js';
import { site } from '../../../src/modules/sites/site/state/site.state.js';
import type { AnyReadModel } from '../../../src/projections/read-model.js';
import { allReadModels } from '../../../src/projections/read-models.js';
import type {
  CurrentFingerprints,
  EventFingerprint,
  VersionFingerprint,
} from '../../../tools/fingerprints/fingerprints.js';
import { applyToRows, type Rows } from './apply-to-rows.js';
import { sampleEvents } from './sampled-events.js';
import { fingerprint, listChanges } from './version-fingerprints.js';

/** Computes the fingerprints of the current code. test/fingerprints.txt records the reviewed ones. */
export const computeFingerprints = (): CurrentFingerprints => ({
  events: catalogue.types.map(fingerprintEvent),
  versions: [...states, ...readModelFiles.map(fingerprintReadModel)],
});

const fingerprintEvent = ({ type, schema, shape, meaning }: AnyEventType): EventFingerprint => {
  const { changes, summary: _, ...consequences } = meaning;
  return {
    ...{ type, schema, fingerprint: fingerprint(z.toJSONSchema(shape)) },
    meaning: [...Object.keys(consequences), ...(changes ? [`changes=${changes.kind}`] : [])],
  };
};

const fingerprintState = <State, Event extends DomainEvent>(
  file: string,
  fold: Fold<State, Event>,
  types: readonly AnyEventType[],
): VersionFingerprint => {
  const names = new Set(types.map(({ type }) => type));
  const isOurs = (event: DomainEvent): event is Event => names.has(event.type);
  const events: readonly DomainEvent[] = sampleEvents();
  return {
    kind: 'state',
    file,
    version: fold.version,
    fingerprint: fingerprint(listChanges(fold, events.filter(isOurs))),
  };
};

const states: readonly VersionFingerprint[] = [
  fingerprintState('src/modules/connector/work.state.ts', work, workEvents),
  fingerprintState('src/modules/domains/domain.state.ts', domain, domainEvents),
  fingerprintState('src/modules/jobs/job.state.ts', job, jobEvents),
  fingerprintState('src/modules/runs/run.state.ts', run, runEvents),
  fingerprintState('src/modules/sites/publish/slugs/last-job.state.ts', lastJob, jobEvents),
  fingerprintState('src/modules/sites/publish/slugs/slug.state.ts', slug, slugEvents),
  {
    ...fingerprintState('src/modules/sites/site/state/site.state.ts', site, siteEvents),
    counter:
      'the version of the concern that has changed, such as `deploysVersion` in src/modules/sites/site/state/deploys.state.ts',
  },
];

/** Returns the files that declare a fold and are missing in the list of states above. */
export const unlistedStates = () =>
  globSync('src/**/*.ts', { exclude: (name) => name.endsWith('spec.ts') })
    .filter((file) => /: Fold<\w+, \w+> = \{/.test(readFileSync(file, 'utf8')))
    .filter((file) => !states.some((state) => state.file === file));

const readModelFiles = globSync('src/projections/models/*.projection.ts').sort();

/** Returns the names of read models that no file in src/projections/models declares. */
export const unlistedReadModels = () => {
  const found = new Set(readModelFiles.map(findReadModel));
  return allReadModels.filter((model) => !found.has(model)).map(({ name }) => name);
};

function findReadModel(file: string): AnyReadModel {
  const model = allReadModels.find(({ entity }) => readFileSync(file, 'utf8').includes(`class ${entity.name} `));
  if (!model) throw new Error(`List the read model of ${file} in src/projections/read-models.ts.`);
  return model;
}

function fingerprintReadModel(file: string): VersionFingerprint {
  const model = findReadModel(file);
  const { columns, indices } = getMetadataArgsStorage();
  const table = [
    ...columns
      .filter(({ target }) => target === model.entity)
      .map(({ propertyName, mode, options }) => ({ propertyName, mode, options })),
    ...indices.filter(({ target }) => target === model.entity).map(({ name, columns }) => ({ name, columns })),
  ];
  const evolve = (rows: Rows, event: Recorded, revision: number) => applyToRows(model, rows, { ...event, revision });
  // The audit trail has a row for each event, so each new event type would change the fingerprint of its rows.
  const rows = model.name === 'history' ? [] : listChanges({ initial: {}, evolve }, sampleEvents());
  return { kind: 'read-model', file, version: model.version, fingerprint: fingerprint({ table, rows }) };
}
