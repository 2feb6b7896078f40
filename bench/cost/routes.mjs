// Every route that /openapi.json describes, with the worst of each of its inputs.
import { HEAD_BYTES, worstHeaders, worstJson, worstTexts, worstValues } from './worst.mjs';

/** Sizes of JSON bodies that routes accept, in bytes, the largest first. */
export const BODY_SIZES = [4_000_000, 780_000, 520_000, 260_000, 65_000, 16_000];

/** `{ method, path, operation }` of each that is built. */
export const routesOf = (document) =>
  Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => operation['x-status'] !== 'planned')
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

/**
 * `{ what, request }` of a route, for a caller with these headers and a site with this slug. `bodyBytes` is the size of
 * the largest body that it reads.
 */
export function* worstRequests({ method, path, operation }, { document, slug, headers, bodyBytes }) {
  const fill = (value) => path.replace('{slug}', slug).replaceAll(/\{\w+\}/g, value);
  const parameters = (operation.parameters ?? []).map((each) => resolve(document, each));
  const mandatory = parameters.filter((each) => each.in === 'query' && each.required).map(({ name }) => name);
  const query = (name, text) =>
    new URLSearchParams([...mandatory.filter((each) => each !== name).map((each) => [each, slug]), [name, text]]);
  const isWriting = ['POST', 'PUT', 'PATCH'].includes(method);
  const json = { ...headers, 'content-type': 'application/json' };
  const body = isWriting ? Buffer.from(JSON.stringify(sample(document, schemaOf(operation)))) : null;
  const request = (more) => ({ method, path: fill('x'), headers: isWriting ? json : headers, body, ...more });

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
    yield { what: name, request: request({ headers: { ...request({}).headers, [name]: value } }) };
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

/** A JSON body of this size with a single member. */
export const bodyOf = (bytes) => Buffer.from(`{"a":"${'a'.repeat(bytes)}"}`);

const encode = (text) => encodeURIComponent(text.toWellFormed());

const schemaOf = ({ requestBody }) => requestBody?.content?.['application/json']?.schema ?? {};

const resolve = (document, schema = {}) =>
  schema.$ref
    ? schema.$ref
        .split('/')
        .slice(1)
        .reduce((at, key) => at?.[key], document)
    : schema;

/** Something of the shape that a schema describes, every field with it. */
function sample(document, schema, depth = 0) {
  const { type, properties, items, anyOf, oneOf, allOf, example, default: usual, ...rest } = resolve(document, schema);
  const [choice] = anyOf ?? oneOf ?? allOf ?? [];
  if (choice && depth < 8) return sample(document, choice, depth + 1);
  if (rest.const !== undefined) return rest.const;
  if (rest.enum) return rest.enum[0];
  if (properties)
    return Object.fromEntries(
      Object.entries(properties).map(([key, each]) => [key, sample(document, each, depth + 1)]),
    );
  if (type === 'array') return depth > 8 ? [] : [sample(document, items ?? {}, depth + 1)];
  return example ?? usual ?? { string: 'text', integer: 1, number: 1, boolean: true, object: {} }[type] ?? 'text';
}

/** `[name, put, value]` of every place in a value: `put(json)` is the whole with that JSON in the place of `value`. */
function* places(value, name = 'body', put = (json) => json) {
  yield [name, put, value];
  if (Array.isArray(value))
    for (const [n, each] of value.entries()) yield* places(each, `${name}[]`, (json) => put(spread(value, n, json)));
  else if (typeof value === 'object' && value !== null)
    for (const [key, each] of Object.entries(value)) yield* places(each, key, (json) => put(beside(value, key, json)));
}

const spread = (list, at, inner) => `[${list.map((each, n) => (n === at ? inner : JSON.stringify(each))).join(',')}]`;

const beside = (object, at, inner) =>
  `{${Object.entries(object)
    .map(([key, each]) => `${JSON.stringify(key)}:${key === at ? inner : JSON.stringify(each)}`)
    .join(',')}}`;
