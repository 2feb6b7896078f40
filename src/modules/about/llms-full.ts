import type { ServiceUrls } from '../../edge/http/api/service-urls.js';
import { problems } from '../../edge/http/problems/problem.js';
import type { AgentTool } from '../../nest/agent-tool.js';
import type { Description } from './openapi/description.js';

type ListedOperation = { readonly summary?: string };

const NEEDS = { nobody: 'no sign-in', token: 'editToken or sign-in', person: 'sign-in' } as const;

/** /llms-full.txt: /llms.txt with the tools, operations and error codes, to save further requests. */
export function wholeText(
  short: string,
  { mcpUrl }: ServiceUrls,
  description: Description,
  tools: readonly AgentTool[],
): string {
  return `${short}
# Complete reference

## Tools at ${mcpUrl}

${tools.map(({ name, needs, description }) => `- ${name} (${NEEDS[needs]}): ${description}`).join('\n')}

## Operations

See /openapi.json for their parameters and schemas.

${operationsIn(description).join('\n')}

## Error codes

${Object.entries(problems)
  .map(
    ([code, { status, detail, suggestion }]) => `- ${code} (${status}): ${detail}${suggestion ? ` ${suggestion}` : ''}`,
  )
  .join('\n')}
`;
}

function operationsIn(description: Description): string[] {
  return Object.entries(description.read()?.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, ListedOperation>).map(
      ([method, { summary }]) => `- ${method.toUpperCase()} ${path}: ${summary ?? ''}`,
    ),
  );
}
