import type { z } from 'zod';
import type { OAuthScope } from '../kernel/ports/oauth-grants.js';

/** The request to the service's own API that a tool sends, built from the tool's arguments. */
export type ToolRoute = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Each path parameter, such as `:slug`, is an argument of the same name. */
  readonly path: string;
  /** Schemas of the query and the body, whose fields become arguments. */
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** Maps body members to their arguments, if the names differ. */
  readonly renamed?: Readonly<Record<string, string>>;
  /**
   * True for deploy routes. The body is either the page in the argument `html`, or the list in the argument `files`,
   * which is passed on unchanged.
   */
  readonly content?: true;
  /** Headers that the tool always sends with its request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Arguments that the tool sends as headers: `x-svc-edit-token`, `If-Match` and `Idempotency-Key`. */
  readonly takes?: readonly ('editToken' | 'ifRevision' | 'idempotencyKey')[];
};

/** The effect of a call on the site, for the user who has to approve it. The MCP hints are derived from it. */
export type ToolEffect =
  | 'reads'
  /** `adds`: creates something without changing existing data. */
  | 'adds'
  | 'replaces';

/**
 * A tool that MCP clients can call. It is declared next to the route that it calls, and uses the schemas of that
 * route.
 */
export type McpTool = {
  readonly name: string;
  readonly title: string;
  /** Tells a model what the tool does and changes, and which tool to call next. */
  readonly description: string;
  /** The scope that a user must have granted to the connected app. */
  readonly scope: OAuthScope;
  /** Scopes that a client should request at sign-in. Defaults to `scope`. */
  readonly requests?: readonly OAuthScope[];
  /** `nobody`: open to anyone. `token`: callers with an edit token or a session. `person`: only signed-in users. */
  readonly needs: 'nobody' | 'token' | 'person';
  readonly effect: ToolEffect;
  /** True if repeating the call with the same arguments has no further effect. */
  readonly isIdempotent: boolean;
  /** True if the tool contacts people or servers outside this service. */
  readonly reachesOut?: true;
  /** True if the response may contain text written by strangers. */
  readonly quotes?: true;
  readonly route: ToolRoute;
  readonly answer: z.ZodObject;
  /** Summarizes the response in a sentence or two. */
  readonly say: (answer: Readonly<Record<string, unknown>>) => string;
  /** A stream to watch until it ends. The route is called afterwards. */
  readonly watches?: WatchedStream;
};

export type WatchedStream = {
  /** Returns the stream's name on a WebSocket, such as `job:job_…`. */
  readonly streamOf: (given: Readonly<Record<string, unknown>>) => string;
  /** Describes the progress that an event reports, in one line. Returns null if the event reports no progress. */
  readonly tell: (event: string, data: Readonly<Record<string, unknown>>) => string | null;
};

/** Defines a tool. The argument of `say` gets its type from the schema of the response. */
export const mcpTool = <Answer extends z.ZodObject>(
  tool: Omit<McpTool, 'answer' | 'say'> & {
    readonly answer: Answer;
    readonly say: (answer: z.output<Answer>) => string;
  },
): McpTool => ({ ...tool, say: (answer) => tool.say(answer as z.output<Answer>) });
