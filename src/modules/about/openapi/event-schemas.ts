import type { OpenAPIObject } from '@nestjs/swagger';
import { z } from 'zod';
import type { DescribedEvents, EventShapes } from '../../../edge/http/api/description/api-events.js';
import { listOperations } from './document.js';
import { jsonSchema } from './schemas.js';

export function eventSchemas(document: OpenAPIObject): OpenAPIObject {
  const schemas: Record<string, object> = {};
  for (const { operation } of listOperations(document)) {
    const { 'x-events': events, 'x-lines': lines } = operation;
    if (events) Object.assign(schemas, named(events.name, anyOf(events)));
    if (lines) Object.assign(schemas, named(lines.name, lines.shape()));
  }
  document.components = { ...document.components, schemas: { ...document.components?.schemas, ...schemas } };
  return document;
}

function named(name: string, shape: z.ZodType): Record<string, object> {
  const { schema, components } = jsonSchema(shape, 'output');
  return { ...withPlaces(components ?? {}), [name]: withPlaces(schema) };
}

function anyOf({ shapes: shapesOf }: DescribedEvents): z.ZodType {
  const { events, unnumbered } = shapesOf();
  const id = {
    id: z.int().meta({ description: 'ID of the event in its stream, greater than the IDs of all earlier events.' }),
  };
  const all = [...shapes(events, id), ...shapes(unnumbered, {})];
  return all.length === 1 && all[0] ? all[0] : z.union(all);
}

const shapes = (events: EventShapes, more: z.ZodRawShape): readonly z.ZodType[] =>
  Object.entries(events).map(([name, data]) =>
    z.object({ ...more, event: name === '*' ? z.string() : z.literal(name), data }),
  );

/**
 * Rewrites references to definitions. zod places definitions next to the schema, but OpenAPI expects them in
 * `components/schemas`.
 */
const withPlaces = (schema: object): Record<string, object> =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
