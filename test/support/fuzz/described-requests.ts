import fc, { type Arbitrary } from 'fast-check';
import type { Actor, FuzzWorld } from './fuzz-world.js';
import { actors } from './fuzz-world.js';
import type { Schema, SchemaValues } from './schema-values.js';

type Parameter = { readonly name: string; readonly in: string; readonly required?: boolean; readonly schema?: Schema };
export type FuzzedOperation = {
  readonly operationId: string;
  /** The HTTP method in upper case. */
  readonly method: string;
  readonly path: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
};

export type FuzzedRequest = {
  readonly actor: Actor;
  readonly method: string;
  /** Path and query, exactly as sent. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** True if the whole request conforms to the API description. */
  readonly isDescribed: boolean;
};

/**
 * Headers that are not generated, because they must contain the actor's own credentials. The hostile headers test other
 * values.
 */
const CREDENTIALS = new Set(['x-svc-edit-token', 'x-svc-upload-token']);
/** Sets `wait` to 0, because other tests cover long polling. */
const NO_WAIT = { wait: 0 };

/** Generates requests of an operation by any caller. Some follow the description, others do not. */
export class DescribedRequests {
  constructor(
    private readonly values: SchemaValues,
    private readonly world: FuzzWorld,
  ) {}

  of(operation: FuzzedOperation): Arbitrary<FuzzedRequest> {
    const described = this.#described(operation);
    return fc.oneof(
      { weight: 3, arbitrary: described },
      { weight: 2, arbitrary: fc.tuple(described, changes).map(([request, change]) => change(request)) },
    );
  }

  #described(operation: FuzzedOperation): Arbitrary<FuzzedRequest> {
    const { parameters = [], method, path } = operation;
    const of = (place: string) =>
      fc.record(
        Object.fromEntries(
          parameters
            .filter((each) => each.in === place && !CREDENTIALS.has(each.name))
            .map((parameter) => [
              parameter.name,
              place === 'header' ? inHeader(this.#value(parameter)) : this.#value(parameter),
            ]),
        ),
        place === 'path' ? {} : { requiredKeys: requiredIn(parameters, place) },
      );
    return fc
      .record({
        actor: fc.constantFrom(...actors),
        inPath: of('path'),
        query: of('query'),
        headers: of('header'),
        accept: acceptedBy(operation),
        body: this.#body(operation),
      })
      .map(({ actor, inPath, query, headers, accept, body }) => ({
        actor,
        method,
        url: urlOf(path, inPath, operation.operationId === 'pollConnector' ? { ...query, ...NO_WAIT } : query),
        headers: { ...(headers as Record<string, string>), ...accept, ...body.headers },
        body: body.bytes,
        isDescribed: true,
      }));
  }

  /** Generates the value of a parameter: usually the ID of an existing object, so that most requests refer to one. */
  #value({ name, schema = {} }: Parameter): Arbitrary<string> {
    // Leaves out U+0000, because the service refuses it in every query and path.
    const made = this.values.of(schema).map((value) => String(value).replaceAll('\0', ''));
    const fits = (value: string) => typeof schema.pattern !== 'string' || new RegExp(schema.pattern).test(value);
    return fc.oneof(
      { weight: 1, arbitrary: made },
      {
        weight: 2,
        // Looks up existing IDs for each request, because requests create and delete objects.
        arbitrary: fc.tuple(fc.nat(), made).map(([n, other]) => {
          const known = (this.world.known.get(name) ?? []).filter(fits);
          return known[n % known.length] ?? other;
        }),
      },
    );
  }

  #body({ requestBody, operationId }: FuzzedOperation) {
    const forms = Object.entries(requestBody?.content ?? {}).flatMap(([type, { schema }]) => {
      const made = bytesOf(type, schema, this.values, operationId);
      return made === null ? [] : [made.map((bytes) => ({ bytes, headers: { 'content-type': typeFor(type) } }))];
    });
    return forms.length === 0
      ? fc.constant({ bytes: Buffer.alloc(0), headers: {} as Record<string, string> })
      : fc.oneof(...forms);
  }
}

/** Keeps only characters that HTTP allows in a header. Tests of connections cover other bytes. */
const inHeader = (made: Arbitrary<string>) => made.filter((text) => /^(?:[!-~](?:[ -~]*[!-~])?)?$/.test(text));

const BOUNDARY = 'fuzzed-boundary';
const typeFor = (type: string) => (type === 'multipart/form-data' ? `${type}; boundary=${BOUNDARY}` : type);

/** Returns the bytes of a body, or null for archives, which are tested with arbitrary bytes. */
function bytesOf(type: string, schema: Schema, values: SchemaValues, operationId: string): Arbitrary<Buffer> | null {
  switch (type) {
    case 'application/json':
      return values
        .of(schema)
        .map((value) => (operationId === 'invokeConnector' ? { ...(value as object), ...NO_WAIT } : value))
        .map((value) => Buffer.from(JSON.stringify(value) ?? ''));
    case 'text/html':
      return fc.string({ minLength: 1 }).map((text) => Buffer.from(text));
    case 'multipart/form-data':
      return fc
        .string()
        .map((text) =>
          Buffer.from(
            `--${BOUNDARY}\r\ncontent-disposition: form-data; name="files"; filename="index.html"\r\n\r\n${text}\r\n--${BOUNDARY}--\r\n`,
          ),
        );
    case 'application/octet-stream':
    case 'application/partial-upload':
      return fc.uint8Array({ minLength: 1, maxLength: 64 }).map((bytes) => Buffer.from(bytes));
    default:
      return null;
  }
}

const requiredIn = (parameters: readonly Parameter[], place: string) =>
  parameters
    .filter((each) => each.in === place && each.required && !CREDENTIALS.has(each.name))
    .map(({ name }) => name);

const acceptedBy = ({ responses }: FuzzedOperation): Arbitrary<{ accept?: string }> => {
  const types = Object.keys(responses[200]?.content ?? {});
  return fc.constantFrom({}, ...types.map((accept) => ({ accept })));
};

function urlOf(path: string, inPath: object, query: object) {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String((inPath as Record<string, unknown>)[name] ?? '') || 'x';
    return name === 'path' ? value.split('/').map(escaped).join('/') : escaped(value);
  });
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, `${value}`]),
  );
  return search.size > 0 ? `${filled}?${search}` : filled;
}

/** Escapes a path segment, including `.` and `..`, which would change the path. */
const escaped = (segment: string) =>
  /^\.{1,2}$/.test(segment) ? segment.replaceAll('.', '%2E') : encodeURIComponent(segment.toWellFormed());

type Change = (request: FuzzedRequest) => FuzzedRequest;

const json =
  (text: string): Change =>
  (request) => ({
    ...request,
    headers: { ...request.headers, 'content-type': 'application/json' },
    body: Buffer.from(text),
    isDescribed: false,
  });

const change =
  (made: (request: FuzzedRequest) => Partial<FuzzedRequest>): Change =>
  (request) => ({ ...request, ...made(request), isDescribed: false });

const header = (name: string, value: string) =>
  change((request) => ({ headers: { ...request.headers, [name]: value } }));

const oddHeaders = fc.constantFrom(
  ...[
    ['if-match', '"x"'],
    ['if-match', '"999999999999999"'],
    ['if-none-match', '*'],
    ['idempotency-key', 'short'],
    ['idempotency-key', 'fuzzed-key-of-this-whole-run'],
    ['last-event-id', '-1'],
    ['accept', '*/*;q=x,,'],
    ['accept', 'text/html'],
    ['accept', 'text/event-stream'],
    ['accept', 'text/csv'],
    ['accept-encoding', 'br;q=2, *;q=0'],
    ['range', 'bytes=5-1,-9'],
    ['content-encoding', 'gzip'],
    ['content-type', 'application/json; charset=utf-16'],
    ['content-type', 'x'],
    ['cookie', 'stele_session=%E0; stele_session='],
    ['authorization', 'Bearer x'],
    ['authorization', 'Basic Og=='],
    ['x-svc-edit-token', 'stele_edit_x'],
    ['x-svc-upload-token', 'stele_upload_x'],
    ['stele-position', '18446744073709551616'],
    ['origin', 'https://evil.example'],
    ['x-forwarded-for', '::1, x'],
    ['x-http-method-override', 'DELETE'],
    ['upload-offset', '1'],
    ['upload-complete', '?2'],
  ].map(([name = '', value = '']) => header(name, value)),
);

const oddBodies = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }).map((value) => json(JSON.stringify(value))),
  fc.constantFrom(
    ...['', '{', '[]', 'null', '"\\ud800"', '{"slug":"\\u0000"}', '{"__proto__":{"a":1},"constructor":1}', '1e999'].map(
      json,
    ),
    json('['.repeat(5_000)),
    json(`{"a":${'[{"b":'.repeat(300)}1${'}]'.repeat(300)}}`),
  ),
  fc
    .tuple(
      fc.constantFrom('application/zip', 'application/gzip', 'multipart/form-data; boundary=b', 'text/html'),
      fc.uint8Array({ maxLength: 200 }),
    )
    .map(([type, bytes]) =>
      change((request) => ({ headers: { ...request.headers, 'content-type': type }, body: Buffer.from(bytes) })),
    ),
  // Replaces one member of a valid body.
  fc
    .tuple(fc.nat(), fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.string({ unit: 'binary' }), fc.bigInt().map(String)))
    .map(([n, value]) =>
      change(({ body, headers }) => {
        try {
          const given = JSON.parse(body.toString());
          const names = Object.keys(given);
          const name = names[n % names.length] ?? 'unknown';
          return { headers, body: Buffer.from(JSON.stringify({ ...given, [name]: value })) };
        } catch {
          return {};
        }
      }),
    ),
);

const oddAddresses = fc.oneof(
  fc.constantFrom('%00', '%ff', '%', '%2e%2e%2f', 'a'.repeat(3_000), '\u00e9', 'null', '-1', '1e9', "'--").map((odd) =>
    change(({ url }) => ({
      url: encodeURI(url).replace(/[^/?=&]+(?=[^/]*$)/, () => odd.replace('\u00e9', '%C3%A9')),
    })),
  ),
  fc
    .constantFrom('unknown=1', 'page=0', 'page=1&page=2', 'limit=1e3', 'after=x', 'slug=', '=', '&&')
    .map((odd) => change(({ url }) => ({ url: `${url}${url.includes('?') ? '&' : '?'}${odd}` }))),
);

/** Changes that may make a generated request invalid. */
const changes: Arbitrary<Change> = fc.oneof(oddHeaders, oddBodies, oddAddresses);
