import { z } from 'zod';
import type { McpTool } from '../../../nest/mcp-tool.js';
import { listPathParameters } from './tool-request.js';

export type ToolSchema = {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, object>>;
  readonly required: readonly string[];
  readonly additionalProperties: boolean;
  readonly $defs?: Readonly<Record<string, object>>;
};

/**
 * A tool in the format of `tools/list`. It has no output schema: models read the list with every request, and output
 * schemas would double its size (docs/decisions/0168-keep-the-list-of-tools-short-for-models.md).
 */
export type ListedTool = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ToolSchema;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
};

export function listed(tool: McpTool): ListedTool {
  const { name, title, description, effect, isIdempotent, reachesOut = false } = tool;
  return {
    name,
    title,
    description,
    inputSchema: inputSchemaOf(tool),
    annotations: {
      readOnlyHint: effect === 'reads',
      destructiveHint: effect === 'replaces',
      idempotentHint: isIdempotent,
      openWorldHint: reachesOut,
    },
  };
}

const EXTRAS = {
  editToken: { type: 'string', description: 'Edit token of the site, returned by the deploy that created it.' },
  ifRevision: {
    type: 'integer',
    minimum: 0,
    description:
      'Revision of the site that you last saw. If the site has changed since then in a way that the call depends on, the call is refused and changes nothing. New secrets, domains and members do not count.',
  },
  idempotencyKey: {
    type: 'string',
    minLength: 8,
    maxLength: 255,
    description:
      'Key that makes retries safe. A call that is repeated with the same key and arguments runs only once and returns the first result. Use a random UUID.',
  },
} as const;

const PARAMETERS: Readonly<Record<string, object>> = {
  slug: { type: 'string', description: 'Slug of the site.' },
  jobId: { type: 'string', description: 'ID of the job (`job_…`).' },
};

const WAIT = {
  waitSeconds: {
    type: 'integer',
    minimum: 1,
    maximum: 600,
    description:
      'Maximum number of seconds to wait. Defaults to 50, or to 600 if the call requests progress notifications.',
  },
};

function inputSchemaOf({ route, watches }: McpTool): ToolSchema {
  const { path, query, body, takes = [] } = route;
  const parts = [
    ...(query ? [inputSchemaOfObject(query)] : []),
    ...(body ? [withNames(inputSchemaOfObject(body), route.renamed ?? {})] : []),
  ];
  const parameters = listPathParameters(path);
  const extras = Object.fromEntries(takes.map((name) => [name, EXTRAS[name]]));
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(parameters.map((name) => [name, PARAMETERS[name] ?? { type: 'string' }])),
      ...Object.fromEntries(parts.flatMap(({ properties }) => Object.entries(properties).map(asArgument))),
      ...extras,
      ...(watches && WAIT),
    },
    required: [...parameters, ...parts.flatMap(({ required }) => [...required])],
    additionalProperties: false,
    ...definitionsOf(parts),
  };
}

/** Describes a query parameter with the values `true` and `false` as a boolean argument. */
const asArgument = ([name, schema]: [string, object]): [string, object] => {
  const {
    enum: words,
    default: usual,
    type: _,
    ...rest
  } = schema as { enum?: unknown; default?: unknown; type?: unknown };
  if (!Array.isArray(words) || words.join() !== 'true,false') return [name, schema];
  return [name, { ...rest, type: 'boolean', ...(usual !== undefined && { default: usual === 'true' }) }];
};

/**
 * Converts a zod schema to the schema of a tool's arguments. If the root schema has a name, zod moves it to `$defs`,
 * and this function moves it back.
 */
function inputSchemaOfObject(schema: z.ZodObject): ToolSchema {
  const made = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const named = /^#\/\$defs\/(.+)$/.exec(made.$ref ?? '')?.[1];
  const { [named ?? '']: root = made, ...others } = (made.$defs ?? {}) as Record<string, z.core.JSONSchema.BaseSchema>;
  return {
    type: 'object',
    properties: (root.properties ?? {}) as Record<string, object>,
    required: root.required ?? [],
    additionalProperties: root.additionalProperties !== false,
    $defs: others,
  };
}

function withNames(schema: ToolSchema, renamed: Readonly<Record<string, string>>): ToolSchema {
  return {
    ...schema,
    properties: Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [renamed[name] ?? name, property]),
    ),
    required: schema.required.map((name) => renamed[name] ?? name),
  };
}

function definitionsOf(parts: readonly { readonly $defs?: Readonly<Record<string, object>> | undefined }[]) {
  const all = Object.assign({}, ...parts.map(({ $defs = {} }) => $defs)) as Record<string, object>;
  return Object.keys(all).length === 0 ? {} : { $defs: all };
}
