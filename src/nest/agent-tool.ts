import type { z } from 'zod';
import type { AgentScope } from '../kernel/ports/agent-grants.js';

/** One request of our own interface, and how the arguments of a tool become it. */
export type ToolRoute = {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** `:slug` and the like are arguments of these names. */
  readonly path: string;
  /** The schema of the route’s query, and of its body: their members are arguments. */
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** The route is a deploy: the body is the page in `html`, or the list in `files`, passed on as it was sent. */
  readonly content?: true;
  /** Headers that are always sent. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The route takes `x-svc-edit-token`, `If-Match` or `Idempotency-Key`: arguments `editToken`, `ifRevision` and `idempotencyKey`. */
  readonly takes?: readonly ('editToken' | 'ifRevision' | 'idempotencyKey')[];
};

/** What becomes of the site, for the person who has to agree to a call: the hints of MCP follow from it. */
export type ToolEffect =
  /** Nothing changes. */
  | 'reads'
  /** Something comes to be; nothing that is there changes. */
  | 'adds'
  /** Something takes the place of what was there. */
  | 'replaces';

/**
 * A tool that agents are offered over MCP. A slice offers its own beside its route (`Feature.tools`): it is that route,
 * asked with the schemas that the route itself has.
 */
export type AgentTool = {
  readonly name: string;
  readonly title: string;
  /** For a model: what it does and changes, and what to call next. */
  readonly description: string;
  /** What a person must have allowed to the program that calls it for them. */
  readonly scope: AgentScope;
  /** Who may call it: any caller, one who has the site’s edit token or is signed in, or only one who is signed in. */
  readonly needs: 'nobody' | 'token' | 'person';
  readonly effect: ToolEffect;
  /** Whether calling it again with the same arguments changes nothing further. */
  readonly isIdempotent: boolean;
  /** Whether it reaches people or servers outside of this service. */
  readonly reachesOut?: true;
  /** Whether its answer has texts that strangers may have written. */
  readonly quotes?: true;
  readonly route: ToolRoute;
  /** Of the route’s answer. */
  readonly answer: z.ZodObject;
  /** The answer in a sentence or two. */
  readonly say: (answer: Readonly<Record<string, unknown>>) => string;
  /** A stream that is watched until it ends, before the route is asked. */
  readonly watches?: WatchedStream;
};

export type WatchedStream = {
  /** As it is called on a WebSocket: `job:job_…`. */
  readonly streamOf: (given: Readonly<Record<string, unknown>>) => string;
  /** What an event says of the progress, in a line; null where it says nothing of it. */
  readonly tell: (event: string, data: Readonly<Record<string, unknown>>) => string | null;
};

/** A tool whose sentence is made of an answer in the shape of its own schema. */
export const agentTool = <Answer extends z.ZodObject>(
  tool: Omit<AgentTool, 'answer' | 'say'> & {
    readonly answer: Answer;
    readonly say: (answer: z.output<Answer>) => string;
  },
): AgentTool => ({ ...tool, say: (answer) => tool.say(answer as z.output<Answer>) });
