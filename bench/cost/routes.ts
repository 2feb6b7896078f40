// Requests to every route in /openapi.json, with the worst values of each input.
import type { Actor, Request, WorstCase } from './service.ts';
import { HEAD_BYTES, worstHeaders, worstJson, worstTexts, worstValues } from './worst.ts';

type Schema = {
  $ref?: string;
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  const?: Json;
  enum?: Json[];
  minimum?: number;
  example?: Json;
  default?: Json;
};
type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
type Parameter = { $ref?: string; name: string; in: string; required?: boolean };
type Operation = {
  'x-status'?: string;
  parameters?: Parameter[];
  requestBody?: { content?: { 'application/json'?: { schema?: Schema } } };
};
/** The part of /openapi.json that is used here. */
export type OpenApi = { paths: Record<string, Record<string, Operation>> };
export type Route = { method: string; path: string; operation: Operation };

const REGISTRATION: Schema = {
  properties: {
    client_name: { type: 'string' },
    redirect_uris: { type: 'array', items: { example: 'https://app.example/callback' } },
  },
};

/** Sizes of JSON bodies that routes accept, in bytes, largest first. */
export const BODY_SIZES = [4_000_000, 780_000, 520_000, 260_000, 65_000, 16_000];

/** Returns the routes in the document, and those with a JSON body that it does not describe (/mcp has its own inputs). */
export const routesOf = (document: OpenApi): Route[] => [
  ...Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => operation['x-status'] !== 'planned')
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  ),
  {
    method: 'POST',
    path: '/oauth/register',
    operation: { requestBody: { content: { 'application/json': { schema: REGISTRATION } } } },
  },
  {
    method: 'POST',
    path: '/.stele/invoke',
    operation: document.paths['/v1/sites/{slug}/connector/invoke']?.post ?? {},
  },
];

/** Returns the headers with which a route lets a caller send a body. */
export function callerHeaders({ path }: Route, { headers, slug, agent }: Actor, port: number): Record<string, string> {
  if (path === '/v1/connector/result/{id}') return agent;
  return path === '/.stele/invoke' ? { host: `${slug}.localhost:${port}` } : headers;
}

/**
 * Yields `{ what, request }` for a route, for a caller with these headers and a site with this slug. `bodyBytes` is the
 * size of the largest body that the route reads.
 */
export function* worstRequests(
  { method, path, operation }: Route,
  { document, slug, headers, bodyBytes }: Actor & { document: OpenApi; bodyBytes: number },
): Generator<WorstCase> {
  const fill = (value: string) => path.replace('{slug}', slug).replaceAll(/\{\w+\}/g, value);
  const parameters = (operation.parameters ?? []).map((each) => resolve(document, each));
  const mandatory = parameters.filter((each) => each.in === 'query' && each.required).map(({ name }) => name);
  const query = (name: string, text: string) =>
    new URLSearchParams(Object.fromEntries([...mandatory.map((each) => [each, slug]), [name, text]]));
  const isWriting = ['POST', 'PUT', 'PATCH'].includes(method);
  const json = { ...headers, 'content-type': 'application/json' };
  const body = isWriting ? Buffer.from(JSON.stringify(sample(document, schemaOf(operation)))) : null;
  const usual = isWriting ? json : headers;
  const request = (more: Request): Request => ({ method, path: fill('x'), headers: usual, body, ...more });

  for (const text of worstTexts(HEAD_BYTES / 6).map(encode)) {
    const place = path.includes('{') ? path.replaceAll(/\{\w+\}/g, text) : `${path}/${text}`;
    yield { what: 'path', request: request({ path: place.slice(0, HEAD_BYTES) }) };
    if (path.includes('}/')) continue;
    yield { what: 'query', request: request({ path: `${fill('x')}?${text}`.slice(0, HEAD_BYTES) }) };
  }
  for (const { name } of parameters.filter((each) => each.in === 'query'))
    for (const text of worstTexts(HEAD_BYTES / 6))
      yield { what: `?${name}`, request: request({ path: `${fill('x')}?${query(name, text)}`.slice(0, HEAD_BYTES) }) };
  for (const [name, value] of worstHeaders)
    yield { what: name, request: request({ headers: { ...usual, [name]: value } }) };
  if (!isWriting) return;

  for (const [n, text] of worstJson(bodyBytes).entries())
    yield { what: `body ${n}`, request: request({ body: Buffer.from(text) }) };
  const whole = sample(document, schemaOf(operation));
  for (const [field, put, value] of places(whole)) {
    const texts = typeof value === 'string' ? worstTexts(bodyBytes * 0.9).map((text) => JSON.stringify(text)) : [];
    for (const json of [...texts, ...worstValues(bodyBytes * 0.9, value)])
      yield { what: field, request: request({ body: Buffer.from(put(json)) }) };
  }
}

/** Returns a JSON body of this size with a single member. */
export const bodyOf = (bytes: number): Buffer => Buffer.from(`{"a":"${'a'.repeat(bytes)}"}`);

const encode = (text: string) => encodeURIComponent(text.toWellFormed());

const schemaOf = ({ requestBody }: Operation): Schema => requestBody?.content?.['application/json']?.schema ?? {};

/** Returns the target of a `$ref`, or the object itself. */
function resolve<Referring extends { $ref?: string }>(document: OpenApi, object: Referring): Referring {
  if (!object.$ref) return object;
  let at = JSON.parse(JSON.stringify(document));
  for (const key of object.$ref.split('/').slice(1)) at = at?.[key];
  return at;
}

const ofType: Record<string, Json> = { string: 'text', integer: 1, number: 1, boolean: true, object: {} };

/** Returns a sample value for a schema, with every field. */
function sample(document: OpenApi, schema: Schema, depth = 0): Json {
  const { type, properties, items, anyOf, oneOf, allOf, example, default: usual, ...rest } = resolve(document, schema);
  const [choice] = anyOf ?? oneOf ?? allOf ?? [];
  if (choice && depth < 8) return sample(document, choice, depth + 1);
  if (rest.const !== undefined) return rest.const;
  if (rest.enum?.[0] !== undefined) return rest.enum[0];
  // With the smallest `wait`, an invocation of a connector does not wait for a result.
  if (rest.minimum !== undefined) return rest.minimum;
  if (properties)
    return Object.fromEntries(
      Object.entries(properties).map(([key, each]) => [key, sample(document, each, depth + 1)]),
    );
  if (type === 'array') return depth > 8 ? [] : [sample(document, items ?? {}, depth + 1)];
  return example ?? usual ?? ofType[type ?? 'string'] ?? 'text';
}

/**
 * Yields `[name, put, value]` for every position in a JSON value. `put(json)` returns the whole value with `json` at
 * that position.
 */
function* places(
  value: Json,
  name = 'body',
  put: (json: string) => string = (json) => json,
): Generator<[name: string, put: (json: string) => string, value: Json]> {
  yield [name, put, value];
  if (Array.isArray(value))
    for (const [n, each] of value.entries()) yield* places(each, `${name}[]`, (json) => put(spread(value, n, json)));
  else if (typeof value === 'object' && value !== null)
    for (const [key, each] of Object.entries(value)) yield* places(each, key, (json) => put(beside(value, key, json)));
}

const spread = (list: readonly Json[], at: number, inner: string) =>
  `[${list.map((each, n) => (n === at ? inner : JSON.stringify(each))).join(',')}]`;

const beside = (object: Record<string, Json>, at: string, inner: string) =>
  `{${Object.entries(object)
    .map(([key, each]) => `${JSON.stringify(key)}:${key === at ? inner : JSON.stringify(each)}`)
    .join(',')}}`;
