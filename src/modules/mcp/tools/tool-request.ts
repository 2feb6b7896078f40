import { refuseInvalid } from '../../../kernel/faults/schema-faults.js';
import { plural } from '../../../kernel/output/quantities.js';
import type { Fault } from '../../../kernel/refusal.js';
import type { McpTool, ToolRoute } from '../../../nest/mcp-tool.js';
import {
  type ContentArgumentName,
  type ContentArguments,
  filesBody,
  pageBody,
  type RequestBody,
  SENT_APART,
  textBody,
} from './content-arguments.js';

export type Arguments = Readonly<Record<string, unknown>>;

export type ToolRequest = {
  readonly method: ToolRoute['method'];
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: RequestBody;
};

const MAX_FAULTS = 20;

/** Maximum length of an argument that becomes part of a URL or header, in characters. */
const MAX_TEXT = 8_192;

/** Maximum length of an unknown argument's name in an error message. Longer names are truncated. */
const MAX_NAME = 500;

export const listPathParameters = (path: string): string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);

/**
 * Builds the API request of a tool call: assigns each argument to the path, query, headers or body as the route
 * expects. Refuses an argument with `invalid_request` if it is unknown or can't be part of a path, query or header. The
 * route validates everything else.
 */
export async function toolRequest(
  { route, watches }: McpTool,
  given: Arguments,
  sentApart: ContentArguments,
): Promise<ToolRequest> {
  const { method, path, query, takes = [] } = route;
  const parameters = listPathParameters(path);
  const inQuery = Object.keys(query?.shape ?? {});
  const inBody = bodyArguments(route);
  const known = new Set([
    ...parameters,
    ...inQuery,
    ...Object.values(inBody),
    ...takes,
    ...(watches ? ['waitSeconds'] : []),
  ]);
  refuseUnknown(given, known);

  const address = parameters.reduce((address, name) => address.replace(`:${name}`, segment(name, given[name])), path);
  const asked = new URLSearchParams(
    inQuery.flatMap((name): [string, string][] => (given[name] === undefined ? [] : [[name, text(name, given[name])]])),
  );
  const members = Object.entries(inBody).flatMap(([member, name]) =>
    given[name] === undefined ? [] : [[member, given[name]] as const],
  );
  const content = await contentOf(route, Object.fromEntries(members), sentApart);
  return {
    method,
    path: asked.size === 0 ? address : `${address}?${asked}`,
    headers: {
      ...(content && { 'content-type': content.type }),
      ...route.headers,
      ...headersOf(takes, given),
    },
    ...(content && { body: content }),
  };
}

/** Maps members of the request body to the tool arguments that provide them. */
export const bodyArguments = ({ body, renamed = {} }: ToolRoute): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.keys(body?.shape ?? {}).map((member) => [member, renamed[member] ?? member]));

/** Refuses unknown arguments. Names at most `MAX_FAULTS` of them, because a message can contain many. */
function refuseUnknown(given: Arguments, known: ReadonlySet<string>) {
  const faults: Fault[] = [];
  for (const path in given) {
    if (known.has(path)) continue;
    faults.push({ path: path.slice(0, MAX_NAME), message: 'is not a known argument' });
    if (faults.length === MAX_FAULTS) break;
  }
  if (faults.length > 0) refuseInvalid(...faults);
}

async function contentOf(
  { body, content }: ToolRoute,
  given: Arguments,
  sentApart: ContentArguments,
): Promise<RequestBody | null> {
  if (!body) return null;
  if (!content) return textBody(JSON.stringify(given));
  // If a client writes the name of an argument with JSON escapes, the files in this argument are not extracted, but
  // parsed with the rest of the message.
  const jsonOf = (name: ContentArgumentName) => {
    const value = given[name];
    if (value === undefined) return undefined;
    return value === SENT_APART ? sentApart.get(name) : Buffer.from(JSON.stringify(value));
  };
  const accepted = (['html', 'files'] as const).filter((name) => name in body.shape);
  const sent = accepted.filter((name) => given[name] !== undefined);
  const [name] = sent;
  const [usual = 'html', other] = accepted;
  if (name === undefined)
    return refuseInvalid({ path: usual, message: `is required${other ? ` unless \`${other}\` is sent` : ''}` });
  if (sent.length > 1) return refuseInvalid({ path: 'files', message: 'must not be sent together with `html`' });
  return name === 'html' ? pageBody(jsonOf('html')) : filesBody(jsonOf('files'));
}

function headersOf(takes: NonNullable<ToolRoute['takes']>, given: Arguments): Record<string, string> {
  const { editToken, ifRevision, idempotencyKey } = pick(given, takes);
  if (ifRevision !== undefined && !(Number.isSafeInteger(ifRevision) && Number(ifRevision) >= 0))
    refuseInvalid({ path: 'ifRevision', message: 'must be a non-negative integer' });
  return {
    ...(editToken !== undefined && { 'x-svc-edit-token': text('editToken', editToken) }),
    ...(ifRevision !== undefined && { 'if-match': `"${ifRevision}"` }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': text('idempotencyKey', idempotencyKey) }),
  };
}

const pick = (given: Arguments, names: readonly string[]): Arguments =>
  Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name)));

/**
 * Encodes a path segment. Refuses segments that consist only of dots, because they would lead to another path in a URL.
 */
function segment(path: string, value: unknown): string {
  const name = text(path, value);
  if (name === '') refuseInvalid({ path, message: 'must not be empty' });
  if (/^\.+$/.test(name)) refuseInvalid({ path, message: 'must not consist only of dots' });
  return encodeURIComponent(name);
}

function text(path: string, value: unknown): string {
  if (value === undefined) refuseInvalid({ path, message: 'is required' });
  if (typeof value === 'object' || typeof value === 'function')
    refuseInvalid({ path, message: 'must be a string, number or boolean' });
  const sent = String(value);
  if (sent.length > MAX_TEXT) refuseInvalid({ path, message: `must have at most ${plural(MAX_TEXT, 'character')}` });
  const text = sent.toWellFormed();
  if (path in HEADERS && !/^[\x20-\x7e]*$/.test(text))
    refuseInvalid({ path, message: 'must contain only printable ASCII characters' });
  if (text.includes('\0')) refuseInvalid({ path, message: 'must not contain null characters' });
  return text;
}

const HEADERS = { editToken: true, idempotencyKey: true };
