import type { z } from 'zod';
import type { AgentScope } from '../kernel/ports/agent-grants.js';

/** The request of our own API to which a tool translates its arguments. */
export type ToolRoute = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path parameters such as `:slug` are arguments of the same name. */
  readonly path: string;
  /** Schemas of the route’s query and body. Their fields are arguments. */
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** Arguments whose name differs from that of their member of the body, by the name of the member. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** The route is a deploy: the body is the page in `html`, or the list in `files`, passed on unchanged. */
  readonly content?: true;
  /** Headers that are always sent. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Headers that the route accepts (`x-svc-edit-token`, `If-Match`, `Idempotency-Key`), as the arguments `editToken`,
   * `ifRevision` and `idempotencyKey`.
   */
  readonly takes?: readonly ('editToken' | 'ifRevision' | 'idempotencyKey')[];
};

/** Effect on the site, for the person who has to approve a call. The MCP hints are derived from it. */
export type ToolEffect =
  /** Changes nothing. */
  | 'reads'
  /** Creates something without changing anything that exists. */
  | 'adds'
  /** Replaces something that exists. */
  | 'replaces';

/**
 * A tool that agents can call over MCP. A slice declares it beside its route (`Feature.tools`). Calling the tool calls
 * that route, with the route's own schemas.
 */
export type AgentTool = {
  readonly name: string;
  readonly title: string;
  /** For a model: what the tool does and changes, and which to call next. */
  readonly description: string;
  /** The scope that a person must have granted to the connected app. */
  readonly scope: AgentScope;
  /** The scopes that a client without sign-in is told to request; by default only `scope`. */
  readonly requests?: readonly AgentScope[];
  /** Who may call it: anyone, callers with the site’s edit token or a session, or only callers with a session. */
  readonly needs: 'nobody' | 'token' | 'person';
  readonly effect: ToolEffect;
  /** Whether repeating the call with the same arguments has no further effect. */
  readonly isIdempotent: boolean;
  /** Whether it reaches people or servers outside of this service. */
  readonly reachesOut?: true;
  /** Whether its response contains text that strangers may have written. */
  readonly quotes?: true;
  readonly route: ToolRoute;
  /** Schema of the route’s response. */
  readonly answer: z.ZodObject;
  /** Summarizes the response in a sentence or two. */
  readonly say: (answer: Readonly<Record<string, unknown>>) => string;
  /** A stream to watch until it ends, before the route is called. */
  readonly watches?: WatchedStream;
};

export type WatchedStream = {
  /** Returns its name on a WebSocket, such as `job:job_…`. */
  readonly streamOf: (given: Readonly<Record<string, unknown>>) => string;
  /** Describes the progress that an event reports in one line; null if it reports none. */
  readonly tell: (event: string, data: Readonly<Record<string, unknown>>) => string | null;
};

/** Defines a tool, and types the argument of `say` by the schema of the response. */
export const agentTool = <Answer extends z.ZodObject>(
  tool: Omit<AgentTool, 'answer' | 'say'> & {
    readonly answer: Answer;
    readonly say: (answer: z.output<Answer>) => string;
  },
): AgentTool => ({ ...tool, say: (answer) => tool.say(answer as z.output<Answer>) });
