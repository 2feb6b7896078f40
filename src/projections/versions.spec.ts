import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { getMetadataArgsStorage } from 'typeorm';
import { sampleEvents } from '../../test/support/events/sampled-events.js';
import {
  describeRemedy,
  fingerprint,
  listChanges,
  type Versioned,
} from '../../test/support/events/version-fingerprints.js';
import type { Recorded } from '../kernel/event-store.js';
import type { AnyReadModel } from './read-model.js';
import { allReadModels } from './read-models.js';

/**
 * The version of each read model, and a fingerprint of its table and rows.
 *
 * If this test fails, a table or its rows have changed, but existing tables have not. Increment `version` in the named
 * file, so that the model is rebuilt, and copy the new fingerprint. Never change a fingerprint without its version.
 */
const versions: Record<string, Versioned> = {
  'src/projections/models/deploy.projection.ts': [5, '7866ff0e1657'],
  'src/projections/models/domain.projection.ts': [1, '1138bbd606aa'],
  'src/projections/models/history.projection.ts': [1, '872ca32c4dd2'],
  'src/projections/models/job.projection.ts': [4, 'de469006bdbc'],
  'src/projections/models/member.projection.ts': [1, '31ec0e522f56'],
  'src/projections/models/scheduled-build.projection.ts': [1, 'd7edca37651f'],
  'src/projections/models/site.projection.ts': [4, 'a4dd670a1644'],
};

type Rows = Readonly<Record<string, object>>;

/** Returns the table’s rows as they are after the event has been applied. */
function applyTo(model: AnyReadModel, rows: Rows, event: Recorded): Rows {
  const changed = new Map<string, object | null>(Object.entries(rows));
  for (const key of model.touches(event)) changed.set(key, model.evolve(rows[key], event, key));
  const forgotten = model.forgets(event);
  const kept = [...changed].filter((entry): entry is [string, object] => entry[1] !== null);
  return Object.fromEntries(kept.filter(([, row]) => !('siteId' in row && row.siteId === forgotten)));
}

function versioned(model: AnyReadModel): Versioned {
  const { columns, indices } = getMetadataArgsStorage();
  const table = [
    ...columns
      .filter(({ target }) => target === model.entity)
      .map(({ propertyName, mode, options }) => ({ propertyName, mode, options })),
    ...indices.filter(({ target }) => target === model.entity).map(({ name, columns }) => ({ name, columns })),
  ];
  const evolve = (rows: Rows, event: Recorded, revision: number) => applyTo(model, rows, { ...event, revision });
  // The audit trail has a row for each event, so each new event type would change the fingerprint of its rows.
  const rows = model.name === 'history' ? [] : listChanges({ initial: {}, evolve }, sampleEvents());
  return [model.version, fingerprint({ table, rows })];
}

const files = globSync('src/projections/models/*.projection.ts').sort();
const modelIn = (file: string) =>
  allReadModels.find(({ entity }) => readFileSync(file, 'utf8').includes(`class ${entity.name} `));

describe('The version of each read model', () => {
  it('is compared here', () => expect(new Set(files.map(modelIn))).toEqual(new Set(allReadModels)));

  it.each(files)('is incremented if the table or its rows change: %s', (file) => {
    const model = modelIn(file);
    expect(model && describeRemedy(file, versioned(model), versions[file])).toBeNull();
  });
});
