import { refuseInvalid } from '../../../kernel/faults/schema-faults.js';
import type { Fault } from '../../../kernel/refusal.js';
import type { AgentTool, ToolRoute } from '../../../process/nest/agent-tool.js';

export type Arguments = Readonly<Record<string, unknown>>;

/** A request of our own interface, made of the arguments of a tool. */
export type ToolRequest = {
  readonly method: ToolRoute['method'];
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** The names of the parameters in a path. */
export const parametersIn = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);

/**
 * Puts the arguments where the route has them: into its path, its query, its headers or its body. Refuses with
 * `invalid_request`, by its name, what is nowhere, and what cannot stand in a path, a query or a header; everything else
 * the route itself looks at.
 */
export function toolRequest({ route, watches }: AgentTool, given: Arguments): ToolRequest {
  const { method, path, query, body, takes = [] } = route;
  const parameters = parametersIn(path);
  const inQuery = Object.keys(query?.shape ?? {});
  const inBody = Object.keys(body?.shape ?? {});
  const known = [...parameters, ...inQuery, ...inBody, ...takes, ...(watches ? ['waitSeconds'] : [])];
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  if (unknown.length > 0) refuseAll(unknown.map((path) => ({ path, message: 'is not a known argument' })));

  const address = parameters.reduce((address, name) => address.replace(`:${name}`, segment(name, given[name])), path);
  const asked = new URLSearchParams(
    inQuery.flatMap((name): [string, string][] => (given[name] === undefined ? [] : [[name, text(name, given[name])]])),
  );
  const content = contentOf(route, pick(given, inBody));
  return {
    method,
    path: asked.size === 0 ? address : `${address}?${asked}`,
    headers: {
      ...(content && { 'content-type': content.type }),
      ...route.headers,
      ...headersOf(takes, given),
    },
    ...(content && { body: content.text }),
  };
}

function contentOf({ body, content }: ToolRoute, given: Arguments) {
  if (!body) return null;
  return content ? content(given) : { type: 'application/json', text: JSON.stringify(given) };
}

function headersOf(takes: NonNullable<ToolRoute['takes']>, given: Arguments): Record<string, string> {
  const { editToken, ifRevision, idempotencyKey } = pick(given, takes);
  if (ifRevision !== undefined && !(Number.isSafeInteger(ifRevision) && Number(ifRevision) >= 0))
    refuseAll([{ path: 'ifRevision', message: 'must be a non-negative integer' }]);
  return {
    ...(editToken !== undefined && { 'x-svc-edit-token': text('editToken', editToken) }),
    ...(ifRevision !== undefined && { 'if-match': `"${ifRevision}"` }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': text('idempotencyKey', idempotencyKey) }),
  };
}

const pick = (given: Arguments, names: readonly string[]): Arguments =>
  Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name)));

/** An argument as one segment of a path. Dots alone would lead to another path. */
function segment(path: string, value: unknown): string {
  const name = text(path, value);
  if (name === '') return refuseAll([{ path, message: 'must not be empty' }]);
  return /^\.+$/.test(name)
    ? refuseAll([{ path, message: 'must not consist only of dots' }])
    : encodeURIComponent(name);
}

/** An argument as text of one line, as addresses and headers have it. */
function text(path: string, value: unknown): string {
  if (value === undefined) return refuseAll([{ path, message: 'is required' }]);
  if (typeof value === 'object' || typeof value === 'function')
    return refuseAll([{ path, message: 'must be a string, number or boolean' }]);
  const text = String(value).toWellFormed();
  if (path in HEADERS && !/^[\x20-\x7e]*$/.test(text))
    return refuseAll([{ path, message: 'must contain only printable ASCII characters' }]);
  if (text.includes('\0')) return refuseAll([{ path, message: 'must not contain null characters' }]);
  return text;
}

const HEADERS = { editToken: true, idempotencyKey: true };

const refuseAll = (faults: readonly Fault[]): never => refuseInvalid(...faults.slice(0, 20));
