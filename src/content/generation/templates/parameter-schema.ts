import { z } from 'zod';

/** The subset of JSON Schema 2020-12 that template parameters can use. All of it is enforced. */
export type ParameterSchema =
  | { readonly type: 'string'; readonly maxLength?: number; readonly enum?: readonly string[] }
  | { readonly type: 'integer' | 'number' | 'boolean' }
  | { readonly type: 'array'; readonly items: ParameterSchema; readonly maxItems: number }
  | ObjectSchema;

export type ObjectSchema = {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, ParameterSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties: false;
};

const words = { title: z.string().max(100).optional(), description: z.string().max(500).optional() };
const size = z.number().int().min(0);

const Text = z
  .strictObject({
    type: z.literal('string'),
    ...words,
    minLength: size.optional(),
    maxLength: size.optional(),
    pattern: z.string().max(300).optional(),
    format: z.enum(['uri', 'date', 'email']).optional(),
    enum: z.array(z.string()).min(1).optional(),
    default: z.string().optional(),
  })
  .refine((schema) => schema.maxLength !== undefined || schema.enum !== undefined, 'must have a maxLength or an enum');

const Numeric = z.strictObject({
  type: z.enum(['integer', 'number']),
  ...words,
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  enum: z.array(z.number()).min(1).optional(),
  default: z.number().optional(),
});

const Truth = z.strictObject({ type: z.literal('boolean'), ...words, default: z.boolean().optional() });

const List = z.strictObject({
  type: z.literal('array'),
  ...words,
  get items(): z.ZodType<ParameterSchema> {
    return Any as z.ZodType<ParameterSchema>;
  },
  minItems: size.optional(),
  maxItems: size,
  default: z.array(z.json()).optional(),
});

/**
 * Name of a parameter. It contains no underscore, so that it never equals a counter (`…_index`) that `data-each` adds.
 */
const name = z
  .string()
  .regex(/^[a-z][A-Za-z0-9]*$/, 'must start with a lowercase letter and contain only letters and digits');

const Properties = z
  .strictObject({
    $schema: z.literal('https://json-schema.org/draft/2020-12/schema').optional(),
    type: z.literal('object'),
    ...words,
    get properties(): z.ZodType<Record<string, ParameterSchema>> {
      return z.record(name, Any) as z.ZodType<Record<string, ParameterSchema>>;
    },
    required: z.array(z.string()).optional(),
    additionalProperties: z.literal(false),
  })
  .refine(
    (schema) => (schema.required ?? []).every((key) => Object.hasOwn(schema.properties, key)),
    'must not require fields that are not among its properties',
  );

const Any = z.discriminatedUnion('type', [Text, Numeric, Truth, List, Properties]);

export const ParameterListSchema = Properties as z.ZodType<ObjectSchema>;
