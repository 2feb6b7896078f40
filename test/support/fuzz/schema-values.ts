import type { Ajv2020 } from 'ajv/dist/2020.js';
import fc, { type Arbitrary } from 'fast-check';

export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly [keyword: string]: unknown;
};

type Members = Readonly<Record<string, Schema>>;
type Components = { readonly schemas: Members };

/** Maximum length of generated strings. The tests of hostile bodies use longer strings and lists. */
const LONG = 40;
const MANY = 3;

/** Generates values that a schema of /openapi.json allows. The schemas describe every check that the service makes. */
export class SchemaValues {
  constructor(
    private readonly components: Components,
    private readonly ajv: Ajv2020,
  ) {}

  /** Generates valid values. If members are mutually exclusive, keeps only a valid subset of them. */
  of(schema: Schema): Arbitrary<unknown> {
    const validate = this.ajv.compile({ ...schema, components: this.components });
    return this.#any(schema, 0).filter((value) => validate(value) === true);
  }

  #any(given: Schema, depth: number): Arbitrary<unknown> {
    const schema = this.#resolved(given);
    if ('const' in schema) return fc.constant(schema.const);
    if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
    const choices = (schema.oneOf ?? schema.anyOf) as readonly Schema[] | undefined;
    if (choices) {
      const { oneOf: _, anyOf: __, ...rest } = schema;
      return fc.oneof(...choices.map((choice) => this.#any(merged(rest, this.#resolved(choice)), depth)));
    }
    const parts = schema.allOf as readonly Schema[] | undefined;
    if (parts) {
      const { allOf: _, ...rest } = schema;
      return this.#any(
        parts.reduce<Schema>((sum, part) => merged(sum, this.#resolved(part)), rest),
        depth,
      );
    }
    if (Array.isArray(schema.type))
      return fc.oneof(...schema.type.map((type: string) => this.#any({ ...schema, type }, depth)));
    return this.#ofType(schema, depth);
  }

  #ofType(schema: Schema, depth: number): Arbitrary<unknown> {
    switch (schema.type ?? (schema.properties ? 'object' : undefined)) {
      case 'string':
        return textOf(schema);
      case 'integer':
        return fc.integer({ min: number(schema.minimum, -100), max: number(schema.maximum, 2 ** 31 - 1) });
      case 'number':
        return fc.double({ min: number(schema.minimum, -1e6), max: number(schema.maximum, 1e6), noNaN: true });
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      case 'array':
        return fc.array(this.#any((schema.items ?? {}) as Schema, depth + 1), {
          minLength: number(schema.minItems, 0),
          maxLength: Math.max(number(schema.minItems, 0), Math.min(number(schema.maxItems, MANY), MANY)),
        });
      case 'object':
        return this.#object(schema, depth);
      default:
        return fc.jsonValue({ maxDepth: 2 });
    }
  }

  #object(schema: Schema, depth: number): Arbitrary<unknown> {
    const unwanted = new Set(unwantedIn(schema.not as Schema | undefined));
    const members = Object.entries((schema.properties ?? {}) as Members).filter(([name]) => !unwanted.has(name));
    const required = ((schema.required ?? []) as string[]).filter((name) => members.some(([known]) => known === name));
    const known = fc.record(Object.fromEntries(members.map(([name, member]) => [name, this.#any(member, depth + 1)])), {
      requiredKeys: required,
    });
    const more = schema.additionalProperties;
    if (typeof more !== 'object' || more === null) return known;
    const names = schema.propertyNames ? textOf(this.#resolved(schema.propertyNames as Schema)) : fc.string();
    const further = fc.dictionary(names, this.#any(more as Schema, depth + 1), { maxKeys: MANY });
    return fc.tuple(further, known).map(([others, own]) => ({ ...others, ...own }));
  }

  #resolved(schema: Schema): Schema {
    if (schema.$ref === undefined) return schema;
    const name = schema.$ref.split('/').at(-1) ?? '';
    return this.#resolved(this.components.schemas[name] ?? {});
  }
}

const number = (given: unknown, otherwise: number) => (typeof given === 'number' ? given : otherwise);

function textOf(schema: Schema): Arbitrary<string> {
  const min = number(schema.minLength, 0);
  const max = Math.max(min, Math.min(number(schema.maxLength, LONG), LONG));
  const fits = (text: string) => [...text].length >= min && [...text].length <= number(schema.maxLength, 1e6);
  if (schema.format === 'email') return fc.emailAddress().filter((text) => matches(schema, text));
  if (schema.format === 'date-time')
    return fc
      .date({ min: new Date('2001-01-01'), max: new Date('2999-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString());
  if (typeof schema.pattern === 'string') return matching(schema.pattern).filter(fits);
  return fc.oneof(
    { weight: 3, arbitrary: fc.string({ unit: 'grapheme', minLength: min, maxLength: max }) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: min, maxLength: max }) },
  );
}

const matches = ({ pattern }: Schema, text: string) => typeof pattern !== 'string' || new RegExp(pattern).test(text);

/**
 * Generates strings that match a pattern. Lookaheads cannot be generated, so they are removed, and the results are
 * filtered by the complete pattern.
 */
function matching(pattern: string): Arbitrary<string> {
  const whole = new RegExp(pattern);
  const made = fc.stringMatching(new RegExp(pattern.replaceAll(/\(\?[!=](?:[^()]|\([^()]*\))*\)/g, '')));
  return made.map((text) => text.toWellFormed()).filter((text) => whole.test(text));
}

const unwantedIn = (not: Schema | undefined): readonly string[] =>
  not === undefined
    ? []
    : [...((not.required ?? []) as string[]), ...((not.anyOf ?? []) as Schema[]).flatMap((each) => unwantedIn(each))];

function merged(one: Schema, other: Schema): Schema {
  const properties = { ...(one.properties as Members | undefined), ...(other.properties as Members | undefined) };
  return {
    ...one,
    ...other,
    ...(Object.keys(properties).length > 0 && { properties: withBoth(one.properties as Members, properties) }),
    required: [...((one.required ?? []) as string[]), ...((other.required ?? []) as string[])],
  };
}

/** Merges the members of two object schemas. If a member is in both, the keywords of both schemas apply to it. */
const withBoth = (before: Members | undefined, after: Members): Members =>
  Object.fromEntries(Object.entries(after).map(([name, schema]) => [name, { ...before?.[name], ...schema }]));
