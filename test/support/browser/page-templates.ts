import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What a parameter may be, as far as tests fill it in. */
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

/** A folder of templates/, as it stands there. */
export type PageTemplate = { readonly name: string; readonly parameters: Schema; readonly example: Values };

/** All templates that come along. */
export async function pageTemplates(): Promise<PageTemplate[]> {
  const folders = (await readdir('templates', { withFileTypes: true })).filter((entry) => entry.isDirectory());
  return Promise.all(
    folders.map(async ({ name }) => ({
      name,
      ...JSON.parse(await readFile(join('templates', name, 'template.json'), 'utf8')),
    })),
  );
}

/** Pictures have room for whole images; all else that is not of a certain form is free text. */
const isPicture = ({ type, maxLength = 0 }: Schema) => type === 'string' && maxLength > 10_000;
const isText = (schema: Schema) =>
  schema.type === 'string' && !schema.enum && !schema.format && !schema.pattern && !isPicture(schema);

/** Each of several looks, such as colours: `[['accent', 'clay'], …]`. */
export const looksOf = ({ parameters }: PageTemplate): (readonly [string, string])[] =>
  Object.entries(parameters.properties ?? {})
    .filter(([name]) => name !== 'direction')
    .flatMap(([name, schema]) => (schema.enum ?? []).map((value) => [name, value] as const));

/** The example, without anything that may be left out. */
export const requiredOnly = ({ parameters, example }: PageTemplate) =>
  map(parameters, example, (_, value, isRequired) => (isRequired ? value : undefined)) as Values;

/**
 * The example, with every text in the place of what it says, also where the example says nothing. `textOf` is given a
 * number that no other text has; what it answers is cut to what is taken.
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

/** The example once for each address in it, with another one there: `[['parameters.links[0].url', values], …]`. */
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

/** Values anew, as `each` says of every one that is no list or object; undefined leaves one out. */
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
