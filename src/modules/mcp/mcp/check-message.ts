import type { SpecTypeName } from '@modelcontextprotocol/server';
import { faultText, toFaults } from '../../../kernel/faults/schema-faults.js';
import { protocol } from './protocol.js';

/** Error codes of JSON-RPC 2.0 (section 5.1). */
export const INVALID_REQUEST = -32_600;
const INVALID_PARAMS = -32_602;

/** The requests that this server handles. The server reports all others as unknown. */
const REQUESTS = {
  initialize: 'InitializeRequest',
  ping: 'PingRequest',
  'tools/list': 'ListToolsRequest',
  'tools/call': 'CallToolRequest',
  'resources/list': 'ListResourcesRequest',
  'resources/templates/list': 'ListResourceTemplatesRequest',
  'resources/read': 'ReadResourceRequest',
  'prompts/list': 'ListPromptsRequest',
  'prompts/get': 'GetPromptRequest',
  'subscriptions/listen': 'SubscriptionsListenRequest',
} as const satisfies Readonly<Record<string, SpecTypeName>>;

export type MessageFault = {
  /** ID of the request, or null if the message is not a valid request. */
  readonly id: string | number | null;
  readonly code: number;
  readonly message: string;
};

type JsonRpcMessage = {
  readonly method?: string;
  readonly params?: { readonly _meta?: Readonly<Record<string, unknown>> };
};

/**
 * Returns what is wrong with a message, or null. The MCP library applies the same schemas, but reports zod’s
 * issues as JSON.
 */
export async function checkMessage(message: unknown): Promise<MessageFault | null> {
  const { specTypeSchemas, PROTOCOL_VERSION_META_KEY } = await protocol();
  const faultIn = (type: SpecTypeName, code: number): MessageFault | null => {
    const { issues } = specTypeSchemas[type]['~standard'].validate(message);
    const [fault] = toFaults(issues ?? []);
    return fault ? { id: idOf(message), code, message: faultText(fault, 'The message') } : null;
  };
  const malformed = faultIn(envelopeOf(message), INVALID_REQUEST);
  if (malformed) return malformed;
  const { method, params } = message as JsonRpcMessage;
  // Requests of revision 2026-07-28 name their revision. It has no `initialize`, which is an unknown method there.
  if (method === 'initialize' && params?._meta?.[PROTOCOL_VERSION_META_KEY] !== undefined) return null;
  return method !== undefined && isHandled(method) ? faultIn(REQUESTS[method], INVALID_PARAMS) : null;
}

const members = (message: unknown): { readonly id?: unknown } =>
  typeof message === 'object' && message !== null ? message : {};

function idOf(message: unknown) {
  const { id } = members(message);
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

function envelopeOf(message: unknown): SpecTypeName {
  const given = members(message);
  if ('result' in given) return 'JSONRPCResultResponse';
  if ('error' in given) return 'JSONRPCErrorResponse';
  return 'method' in given && !('id' in given) ? 'JSONRPCNotification' : 'JSONRPCRequest';
}

const isHandled = (method: string): method is keyof typeof REQUESTS => Object.hasOwn(REQUESTS, method);
