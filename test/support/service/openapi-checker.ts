import { readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

export type Schema = Record<string, unknown>;
export type Described = {
  readonly content?: Record<string, { readonly schema?: Schema }>;
  readonly headers?: Record<string, DescribedHeader>;
  readonly $ref?: string;
  readonly 'x-codes'?: readonly string[];
};
export type DescribedHeader = { readonly required?: boolean; readonly schema?: Schema; readonly $ref?: string };
type Operation = { readonly responses: Record<string, Described>; readonly 'x-status'?: string };
type Document = {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: {
    readonly responses: Record<string, Described>;
    readonly headers: Record<string, DescribedHeader>;
  };
};

export type Judged = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly text: string;
};

/** Created from the first service's API description and then reused, because all services have the same one. */
let known: Promise<OpenApiChecker> | undefined;

/**
 * File in which the API description is kept for all test files of a run. Generating it takes a service 0.16 s of CPU
 * time.
 */
const keptFile = () => join(dirname(process.env.STELE_TEST_RESOURCES ?? ''), 'openapi.json');

const readKept = (): Promise<string | null> => readFile(keptFile(), 'utf8').catch(() => null);

async function fetchAndKeep(base: string): Promise<string> {
  const answer = await fetch(`${base}/openapi.json`);
  const text = await answer.text();
  if (!answer.ok || !process.env.STELE_TEST_RESOURCES) return text;
  // Writes atomically, because other workers read the file.
  const own = `${keptFile()}.${process.pid}`;
  await writeFile(own, text);
  await rename(own, keptFile());
  return text;
}

/** Validates responses against /openapi.json. Throws if a response does not match. */
export class OpenApiChecker {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #compiled = new Map<object, ValidateFunction>();
  readonly #paths: readonly { readonly pattern: RegExp; readonly operations: Record<string, Operation> }[];

  constructor(private readonly document: Document) {
    formats.default(this.#ajv);
    const { components } = strict(document) as { components: Schema };
    this.#ajv.addSchema({ $id: 'openapi', components }, 'openapi');
    this.#paths = Object.entries(document.paths)
      // Paths with fewer parameters match first: /v1/sites/{slug}/deploys/diff before …/deploys/{id}.
      .sort(([a], [b]) => a.split('{').length - b.split('{').length)
      .map(([path, operations]) => ({ pattern: patternOf(path), operations }));
  }

  static of(base: string): Promise<OpenApiChecker> {
    known ??= OpenApiChecker.#describedAt(base).catch((error) => {
      known = undefined;
      throw error;
    });
    return known;
  }

  static async #describedAt(base: string): Promise<OpenApiChecker> {
    const text = (await readKept()) ?? (await fetchAndKeep(base));
    return new OpenApiChecker(JSON.parse(text) as Document);
  }

  check(method: string, url: string, response: Judged) {
    const complaint = this.complaint(method, url, response);
    if (complaint !== null) throw new Error(complaint);
  }

  /** Returns why the response does not match its description, or null if it does. */
  complaint(method: string, url: string, response: Judged): string | null {
    const path = url.split('?', 1)[0] ?? '/';
    const fault = this.#fault(method.toLowerCase(), path, response);
    if (!fault) return null;
    const shown = (response.text ?? '').slice(0, 600);
    return `${method} ${path} answered ${response.status}, and /openapi.json knows better: ${fault}\n${shown}`;
  }

  describedOf(method: string, path: string, status: number): Described | null {
    const described = this.#described(method.toLowerCase(), path, status);
    return typeof described === 'string' ? null : described;
  }

  /** Returns the described headers by name in lower case. */
  headersOf({ headers = {} }: Described): ReadonlyMap<string, DescribedHeader> {
    const all = Object.entries(headers).map(([name, header]): [string, DescribedHeader] => [
      name.toLowerCase(),
      header.$ref ? (this.document.components.headers[header.$ref.split('/').at(-1) ?? ''] ?? {}) : header,
    ]);
    return new Map(all);
  }

  faultOf(schema: Schema, value: unknown): string | null {
    const validate = this.#compiled.get(schema) ?? this.#ajv.compile(strict(schema) as Schema);
    this.#compiled.set(schema, validate);
    return validate(value) ? null : this.#ajv.errorsText(validate.errors, { dataVar: 'it', separator: '\n' });
  }

  #fault(method: string, path: string, { status, headers, body, text }: Judged): string | null {
    if (!/^req_[0-9a-z]{26}$/.test(headers['x-request-id'] ?? '')) return 'every answer has an x-request-id';
    const type = mediaType(headers['content-type']);
    if (method === 'options' && status === 204) return text ? 'an answer to OPTIONS has no body' : null;
    if (status === 304) return text ? 'a 304 has no body' : null;

    const described = this.#described(method, path, status);
    if (typeof described === 'string') return described;
    const content = described.content ?? {};
    if (Object.keys(content).length === 0) return type || text ? `no body is described, but it is ${type}` : null;
    const found = content[type];
    if (!found) return `it is described as ${Object.keys(content).join(' or ')}, not ${type || 'without a type'}`;
    const code = status >= 400 ? this.#codeFault(method, path, status, body) : null;
    if (code) return code;
    if (method === 'head') return text ? 'an answer to HEAD has no body' : null;
    return /[/+]json$/.test(type) ? this.#bodyFault(found.schema, body, status) : null;
  }

  #operation(method: string, path: string): Operation | null {
    const operations = this.#paths.find(({ pattern }) => pattern.test(path))?.operations ?? {};
    const operation = operations[method] ?? operations[method === 'head' ? 'get' : method];
    return operation && operation['x-status'] !== 'planned' ? operation : null;
  }

  /**
   * Reports a fault if a problem's code is listed neither for its operation and status nor for problems of all
   * operations.
   */
  #codeFault(method: string, path: string, status: number, body: unknown): string | null {
    const operation = this.#operation(method, path);
    const code = (body as { code?: unknown } | null)?.code;
    if (!operation || typeof code !== 'string') return null;
    const listed = [status, 'default'].flatMap((of) => {
      const described = operation.responses[of];
      return described ? (this.#resolved(described)['x-codes'] ?? []) : [];
    });
    if (listed.includes(code)) return null;
    return `the code ${code} is not among those of this operation: ${listed.join(', ')}`;
  }

  #described(method: string, path: string, status: number): Described | string {
    const operation = this.#operation(method, path);
    if (!operation) {
      // An unknown path returns a problem in JSON below /v1/, and an error page elsewhere.
      const name = path.startsWith('/v1/') ? 'Problem' : 'ProblemPage';
      return status >= 400 ? this.#problem(name) : 'this method and path are not described';
    }
    const exact = operation.responses[status] ?? (status >= 400 ? operation.responses.default : undefined);
    return exact ? this.#resolved(exact) : 'this status is not described';
  }

  #problem = (name: string) => this.#resolved({ $ref: `#/components/responses/${name}` });

  #resolved(described: Described): Described {
    if (described.$ref === undefined) return described;
    const name = described.$ref.slice('#/components/responses/'.length);
    const found = this.document.components.responses[name];
    if (!found) throw new Error(`/openapi.json refers to ${described.$ref}, which is not there`);
    return found;
  }

  #bodyFault(schema: Schema | undefined, body: unknown, status: number): string | null {
    if (!schema) return 'its body has no schema';
    const fault = this.faultOf(schema, body);
    if (fault) return fault;
    if (status >= 400 && (body as { status?: unknown }).status !== status)
      return 'a problem’s status is the answer’s own';
    return null;
  }
}

const mediaType = (header: string | undefined) => header?.split(';', 1)[0]?.trim().toLowerCase() ?? '';

const patternOf = (path: string) =>
  new RegExp(`^${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}/?$`);

/** Changes references so that Ajv finds the components, and forbids additional properties of objects. */
function strict(schema: unknown, isPart = false): unknown {
  if (Array.isArray(schema)) return schema.map((each) => strict(each, isPart));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref, ...rest } = schema as Schema;
  const made: Schema = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, strict(value, key === 'allOf')]),
  );
  if (typeof $ref === 'string') made.$ref = `openapi${$ref}`;
  if (made.properties && made.additionalProperties === undefined && !isPart) made.additionalProperties = false;
  return made;
}
