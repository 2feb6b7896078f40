import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Stele } from '../service/stele.js';
import { mcpUrlOf } from './stele-for-agents.js';

export type Called = {
  readonly isError: boolean;
  /** The text that a model reads as the result. */
  readonly said: string;
  /** The JSON of the result, or the problem if the call was refused. */
  readonly answer: ReturnType<typeof JSON.parse>;
};

type Content = readonly { readonly type: string; readonly text?: string }[];
type Result = Readonly<Record<string, unknown>>;

export type Agent = {
  readonly call: (
    name: string,
    given?: Record<string, unknown>,
    onProgress?: (line: string) => void,
  ) => Promise<Called>;
  readonly close: () => Promise<void>;
};

const INFO = { name: 'agent-of-a-test', version: '1' };

/** Connects with the current SDK, using the given protocol revision. */
export async function agentOf(stele: Stele, { token = '', revision = '2026-07-28' } = {}) {
  const client = new Client(INFO, revision === '2025' ? {} : { versionNegotiation: { mode: { pin: revision } } });
  await client.connect(new StreamableHTTPClientTransport(new URL(mcpUrlOf(stele)), withBearer(token)));
  await client.listTools();
  return {
    client,
    call: async (name: string, given: Record<string, unknown> = {}, onProgress?: (line: string) => void) =>
      called(await client.callTool({ name, arguments: given }, heard(onProgress))),
    close: () => client.close(),
  };
}

/** Connects with the first SDK, on which most MCP clients are based. */
export async function firstAgentOf(stele: Stele, { token = '' } = {}) {
  const client = new FirstClient(INFO);
  await client.connect(new FirstTransport(new URL(mcpUrlOf(stele)), withBearer(token)) as never);
  await client.listTools();
  return {
    client,
    call: async (name: string, given: Record<string, unknown> = {}, onProgress?: (line: string) => void) =>
      called(await client.callTool({ name, arguments: given }, undefined, heard(onProgress))),
    close: () => client.close(),
  };
}

const withBearer = (token: string) => ({
  requestInit: { headers: token === '' ? {} : { authorization: `Bearer ${token}` } },
});

const heard = (onProgress?: (line: string) => void) => ({
  ...(onProgress && { onprogress: ({ message = '' }: { message?: string | undefined }) => onProgress(message) }),
});

function called({ content, isError }: Result): Called {
  const [said = '', json = '{}'] = (content as Content).map(({ text = '' }) => text);
  return { isError: isError === true, said, answer: JSON.parse(json) };
}
