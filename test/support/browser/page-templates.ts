import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

type Schema = {
  readonly type: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly maxLength?: number;
};

type Values = Readonly<Record<string, unknown>>;

export type PageTemplate = { readonly name: string; readonly parameters: Schema; readonly example: Values };

export async function pageTemplates(): Promise<PageTemplate[]> {
  const folders = (await readdir('templates', { withFileTypes: true })).filter((entry) => entry.isDirectory());
  return Promise.all(
    folders.map(async ({ name }) => ({
      name,
      ...JSON.parse(await readFile(join('templates', name, 'template.json'), 'utf8')),
    })),
  );
}

/** Reports whether a parameter is an image, which is a string that may be longer than 10,000 characters. */
const isPicture = ({ type, maxLength = 0 }: Schema) => type === 'string' && maxLength > 10_000;
const isText = (schema: Schema) =>
  schema.type === 'string' && !schema.enum && !schema.format && !schema.pattern && !isPicture(schema);

/** Returns every value of the parameters that select an appearance, such as a color: `[['accent', 'clay'], …]`. */
export const looksOf = ({ parameters }: PageTemplate): (readonly [string, string])[] =>
  Object.entries(parameters.properties ?? {})
    .filter(([name]) => name !== 'direction')
    .flatMap(([name, schema]) => (schema.enum ?? []).map((value) => [name, value] as const));

export const requiredOnly = ({ parameters, example }: PageTemplate) =>
  map(parameters, example, (_, value, isRequired) => (isRequired ? value : undefined)) as Values;

/**
 * Returns the example with every text replaced, including texts that the example omits, and a list of the new texts.
 * `textOf` is called with the index of each text. Its result is cut to the maximum length of the text.
 */
export function withTexts({ parameters, example }: PageTemplate, textOf: (count: number) => string) {
  const texts: string[] = [];
  const values = map(parameters, example, (schema, value) => {
    if (!isText(schema)) return value;
    const text = textOf(texts.length).slice(0, schema.maxLength);
    texts.push(text);
    return text;
  }) as Values;
  return { values, texts };
}

/**
 * Returns a copy of the example for each address in it. The copy contains `address` instead of that address, and is
 * listed with the path of the replaced address: `[['parameters.links[0].url', values], …]`.
 */
export function withAddress({ parameters, example }: PageTemplate, address: string) {
  const isAddress = (schema: Schema) => schema.format === 'uri' || isPicture(schema);
  let count = 0;
  map(parameters, example, (schema, value) => {
    if (isAddress(schema)) count++;
    return value;
  });
  return Array.from({ length: count }, (_, wanted) => {
    let [at, path] = [0, ''];
    const values = map(parameters, example, (schema, value, _required, where) => {
      if (!isAddress(schema) || at++ !== wanted) return value;
      path = where;
      return address;
    }) as Values;
    return [path, values] as const;
  });
}

type Each = (schema: Schema, value: unknown, isRequired: boolean, path: string) => unknown;

/** Applies `each` to the values of an example, from the outside in. Omits a value if `each` returns undefined. */
function map(schema: Schema, value: unknown, each: Each, isRequired = true, path = 'parameters'): unknown {
  if (schema.type === 'object') {
    if (each({ type: 'object' }, value, isRequired, path) === undefined) return undefined;
    const entries = Object.entries(schema.properties ?? {}).map(([name, inner]) => {
      const isNeeded = schema.required?.includes(name) === true;
      return [name, map(inner, (value as Values)[name], each, isNeeded, `${path}.${name}`)] as const;
    });
    return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined));
  }
  if (schema.type === 'array' && schema.items) {
    const { items } = schema;
    if (each({ type: 'array' }, value, isRequired, path) === undefined) return undefined;
    return (value as unknown[]).map((entry, index) => map(items, entry, each, true, `${path}[${index}]`));
  }
  return each(schema, value, isRequired, path);
}
