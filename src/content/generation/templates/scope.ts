import type { ObjectSchema, ParameterSchema } from './parameter-schema.js';

/** Resolves names in placeholders to schemas when a template is checked. */
export class SchemaScope {
  constructor(
    private readonly root: ObjectSchema,
    private readonly items: ReadonlyMap<string, ParameterSchema> = new Map(),
  ) {}

  /** Resolves a path such as `link.url`. Returns undefined if no parameter matches. */
  at(path: string): ParameterSchema | undefined {
    const [first = '', ...rest] = path.split('.');
    let schema = this.items.get(first) ?? property(this.root, first);
    for (const name of rest) schema = schema && property(schema, name);
    return schema;
  }

  has = (name: string) => this.items.has(name) || Object.hasOwn(this.root.properties, name);

  /** Returns the scope inside an element that `data-each` repeats. */
  with(name: string, item: ParameterSchema): SchemaScope {
    return new SchemaScope(this.root, new Map([...this.items, [name, item], [`${name}_index`, { type: 'integer' }]]));
  }
}

const property = (schema: ParameterSchema, name: string) =>
  schema.type === 'object' && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;

/** A value of the request and its location, such as `parameters.links[1].url`. */
export type Located = { readonly value: unknown; readonly path: string };

/** Resolves names in placeholders to values when a page is filled in. */
export class Values {
  constructor(
    private readonly root: Located,
    private readonly items: ReadonlyMap<string, Located> = new Map(),
  ) {}

  at(path: string): Located {
    const [first = '', ...rest] = path.split('.');
    return rest.reduce(member, this.items.get(first) ?? member(this.root, first));
  }

  /**
   * Returns one scope for each entry of the list at `path`. The element that `data-each` repeats is filled in once with
   * each scope.
   */
  each(name: string, path: string): Values[] {
    const list = this.at(path);
    if (!Array.isArray(list.value)) return [];
    return list.value.map((value: unknown, index) => {
      const item = { value, path: `${list.path}[${index}]` };
      const count = { value: index + 1, path: item.path };
      return new Values(this.root, new Map([...this.items, [name, item], [`${name}_index`, count]]));
    });
  }

  /** Reports whether a value is present. Empty strings, empty lists and `false` count as absent. */
  has(path: string): boolean {
    const { value } = this.at(path);
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== '' && value !== false;
  }
}

function member({ value, path }: Located, name: string): Located {
  const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  return { value: isThere ? (value as Record<string, unknown>)[name] : undefined, path: `${path}.${name}` };
}
