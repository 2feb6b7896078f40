import type { Schema } from './schema-values.js';

type Media = { schema?: Schema & { readonly contentSchema?: Schema }; itemSchema?: object };
type Operation = {
  readonly responses?: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
};
export type Description = {
  openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/**
 * Converts an API description from OpenAPI 3.1, which client generators need, to OpenAPI 3.2. In 3.1, a stream is one
 * string, whose `contentSchema` describes an event. In 3.2, `itemSchema` describes an event. `schema` would apply to the
 * whole stream, so it is removed.
 */
export function withItemSchemas(description: Description): Description {
  for (const operation of Object.values(description.paths).flatMap((item) => Object.values(item)))
    for (const { content = {} } of Object.values(operation.responses ?? {})) {
      const media = content['text/event-stream'];
      if (!media?.schema?.contentSchema) continue;
      media.itemSchema = itemOf(media.schema.contentSchema, description);
      delete media.schema;
    }
  return { ...description, openapi: '3.2.0' };
}

/** Returns the schema of an event as sent: its data is a string of JSON, and its ID consists of digits. */
function itemOf({ $ref, ...given }: Schema, { components }: Description): object {
  const schema = $ref === undefined ? given : (components.schemas[$ref.split('/').at(-1) ?? ''] ?? {});
  const choices = (schema.anyOf ?? [schema]) as readonly Schema[];
  return {
    anyOf: choices.map(({ properties = {}, required }) => {
      const { id, data, ...others } = properties as Readonly<Record<string, Schema>>;
      const text = { type: 'string', contentMediaType: 'application/json', contentSchema: data };
      const members = { ...others, ...(id && { id: { type: 'string', pattern: '^\\d+$' } }), data: text };
      return { type: 'object', properties: members, required };
    }),
  };
}
