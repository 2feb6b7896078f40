import { z } from 'zod';
import { domainEvents, domainStream } from '../../../src/events/domain.events.js';
import type { AnyEventType } from '../../../src/events/event-type.js';
import { jobEvents, jobStream } from '../../../src/events/job.events.js';
import { runEvents, runStream } from '../../../src/events/run.events.js';
import { siteEvents, siteStream } from '../../../src/events/site/site.events.js';
import { slugEvents, slugStream } from '../../../src/events/slug.events.js';
import { workEvents, workStream } from '../../../src/events/work.events.js';
import type { Recorded } from '../../../src/kernel/event-store.js';
import { canonical } from '../../../src/kernel/hashing/canonical.js';

type Schema = {
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly format?: string;
};

const noon = '2026-11-20T12:00:00.000Z';

/**
 * Returns up to three events of each type, generated from its schema. The first event uses the first alternative of
 * each member, the second event the second, and the third event the third. The value of a string is the name of its
 * member, so that IDs match across event types.
 */
export const sampleEvents = (): readonly Recorded[] => [
  ...sampleStream(siteStream('siteId'), siteEvents),
  ...sampleStream(domainStream('hostname'), domainEvents),
  ...sampleStream(slugStream('slug'), slugEvents),
  ...sampleStream(jobStream('jobId'), jobEvents),
  ...sampleStream(runStream('runId'), runEvents),
  ...sampleStream(workStream('workId'), workEvents),
];

const sampleStream = (stream: string, types: readonly AnyEventType[]): readonly Recorded[] =>
  types.flatMap(({ type, schema, shape }) => {
    const described: Schema = JSON.parse(JSON.stringify(z.toJSONSchema(shape)));
    const samples = new Map([0, 1, 2].map((variant) => sample(described, variant, type)).map((d) => [canonical(d), d]));
    return [...samples].map(([stored, data]) => ({
      ...{ id: 'id', stream, type, data, schema, stored, at: noon, actor: { kind: 'user' as const, id: 'userId' } },
      ...{ revision: 1, position: 1n, hash: null, previousHash: null },
    }));
  });

function sample(schema: Schema, variant: number, name: string): unknown {
  const choose = <T>(alternatives: readonly T[]) => alternatives[Math.min(variant, alternatives.length - 1)];
  const alternative = schema.anyOf && choose(schema.anyOf);
  if (alternative) return sample(alternative, variant, name);
  if (schema.enum) return choose(schema.enum);
  if (schema.const !== undefined) return schema.const;
  switch (typeof schema.type === 'object' ? choose(schema.type) : schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, value]) => [key, sample(value, variant, key)]),
      );
    case 'array':
      return schema.items ? [sample(schema.items, variant, name)] : [];
    case 'string':
      return schema.format === 'date-time' ? noon : name;
    case 'integer':
    case 'number':
      return variant + 1;
    case 'boolean':
      return variant === 0;
    case 'null':
      return null;
    default:
      throw new Error(`No value can be generated for ${name}: ${JSON.stringify(schema)}`);
  }
}
