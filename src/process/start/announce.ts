import type { Settings } from '../../settings/settings.js';
import { isJson, say } from './log.js';

/** Prints the addresses of the service and an example command to standard output, for people and for scripts. */
export function announce({ baseUrl, siteDomain, mcpUrl, dataFolder, mail }: Settings, database: string) {
  const outbox = mail.kind === 'outbox' ? `\n  Mail        ${baseUrl}/dev/outbox   (no mail server is set up)` : '';
  if (isJson())
    return say(`Stele is running at ${baseUrl}, sites at *.${siteDomain}. Data: ${dataFolder}. Database: ${database}.`);
  process.stdout.write(`
Stele is running.

  Service     ${baseUrl}
  Sites       ${new URL(baseUrl).protocol}//{slug}.${siteDomain}/   and   ${baseUrl}/s/{slug}/
  For agents  ${baseUrl}/llms.txt   MCP: ${mcpUrl}
  API         ${baseUrl}/openapi.json
  Data        ${dataFolder}
  Database    ${database}${outbox}

Publish a page:

  curl -X POST ${baseUrl}/v1/deploy -H 'content-type: text/html' --data-binary '<h1>Hello</h1>'

Press Ctrl-C to stop.
`);
}
