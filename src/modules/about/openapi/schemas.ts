import { z } from 'zod';

type SchemaObject = Record<string, unknown>;
type Converted = { readonly schema: object; readonly components?: Record<string, object> };

/**
 * Makes the schema of an answer or a request out of the one that checks it, in the JSON Schema of OpenAPI 3.1. What has
 * an `id` in its `meta` is a component of that name.
 */
export function converted(
  schema: unknown,
  { schemaType: io }: { readonly schemaType: 'input' | 'output' },
): Converted | undefined {
  return schema instanceof z.ZodType ? jsonSchema(schema, io) : undefined;
}

/** Makes the JSON Schema of OpenAPI 3.1 out of a schema, for what is described by hand. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Converted {
  const made = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => tidy(jsonSchema, io),
  });
  const { $schema: _, $defs = {}, ...rest } = anyJson(made);
  const { [refOf(rest)]: own, ...others } = $defs as Record<string, SchemaObject>;
  // The members of a query are taken out of its schema, and a request may leave out what an answer always has.
  return io === 'input' && own
    ? { schema: own, components: others }
    : { schema: rest, components: $defs as SchemaObject as Record<string, object> };
}

const refOf = ({ $ref }: SchemaObject) => (typeof $ref === 'string' ? ($ref.split('/').at(-1) ?? '') : '');

/** `meta` of what another module describes: the name of its schema among the components. */
export const COMPONENT = 'x-component';

/** Without what says nothing: that names are text, and of answers that whole numbers are such as JavaScript can count. */
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

/** What zod gives a number for want of a name is within itself: any JSON. Generators of types cannot write that down. */
function anyJson(made: object): SchemaObject {
  const { $defs = {}, ...rest } = JSON.parse(
    JSON.stringify(made)
      .replaceAll(/"\$ref":"#\/\$defs\/__schema\d+",?/g, '')
      .replaceAll(',}', '}'),
  );
  return { ...rest, $defs: Object.fromEntries(Object.entries($defs).filter(([name]) => !name.startsWith('__schema'))) };
}
