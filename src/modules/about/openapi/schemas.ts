import { z } from 'zod';

type SchemaObject = Record<string, unknown>;
type Converted = { readonly schema: object; readonly components?: Record<string, object> };

/** Converts a zod schema to the JSON Schema of OpenAPI 3.1. An `id` in its `meta` makes it a component of that name. */
export function converted(
  schema: unknown,
  { schemaType: io }: { readonly schemaType: 'input' | 'output' },
): Converted | undefined {
  return schema instanceof z.ZodType ? jsonSchema(schema, io) : undefined;
}

export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Converted {
  const made = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => tidy(jsonSchema, io),
  });
  const { $schema: _, $defs = {}, ...rest } = anyJson(made);
  const { [refOf(rest)]: own, ...others } = $defs as Record<string, SchemaObject>;
  // Schemas of requests are inlined instead of becoming components. The generator reads the fields of a query from
  // inlined schemas. Besides, a request can omit fields that a response always has, so one component could not describe
  // both.
  return io === 'input' && own
    ? { schema: own, components: others }
    : { schema: rest, components: $defs as SchemaObject as Record<string, object> };
}

const refOf = ({ $ref }: SchemaObject) => (typeof $ref === 'string' ? ($ref.split('/').at(-1) ?? '') : '');

/**
 * Key in a schema's `meta`. Its value is the component name of a schema in another module, to which this schema refers.
 */
export const COMPONENT = 'x-component';

/**
 * Removes two redundant constraints from a schema: that property names are strings, and that integers in responses are
 * safe integers.
 */
function tidy(made: SchemaObject, io: 'input' | 'output') {
  if (JSON.stringify(made.propertyNames) === '{"type":"string"}') delete made.propertyNames;
  if (io === 'output' && made.minimum === Number.MIN_SAFE_INTEGER) delete made.minimum;
  if (io === 'output' && made.maximum === Number.MAX_SAFE_INTEGER) delete made.maximum;
  const component = made[COMPONENT];
  if (typeof component !== 'string') return;
  const { description } = made;
  for (const name of Object.keys(made)) delete made[name];
  Object.assign(made, { $ref: `#/components/schemas/${component}` }, description !== undefined && { description });
}

/**
 * Replaces zod's recursive definitions of “any JSON value” with an empty schema, because type generators can't express
 * the recursion.
 */
function anyJson(made: object): SchemaObject {
  const { $defs = {}, ...rest } = JSON.parse(
    JSON.stringify(made)
      .replaceAll(/"\$ref":"#\/\$defs\/__schema\d+",?/g, '')
      .replaceAll(',}', '}'),
  );
  return { ...rest, $defs: Object.fromEntries(Object.entries($defs).filter(([name]) => !name.startsWith('__schema'))) };
}
