import { Controller, Get, Header } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { ApiOperation, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ServiceUrls } from '../../edge/http/api/service-urls.js';
import { version } from '../../edge/http/api/version.js';
import { problems } from '../../edge/http/problems/problem.js';
import { type Feature, offeredTools } from '../../nest/features.js';
import type { McpTool } from '../../nest/mcp-tool.js';
import { SecurityContact } from '../../settings/settings.js';
import { Description } from './openapi/description.js';

type ListedOperation = { readonly summary?: string };

const NEEDS = { nobody: 'no sign-in', token: 'editToken or sign-in', person: 'sign-in' } as const;

/**
 * Formats /llms-full.txt. In addition to the short text, it contains the tools, operations and error codes, so that
 * readers need no further requests.
 */
function wholeText(
  short: string,
  { mcpUrl }: ServiceUrls,
  description: Description,
  tools: readonly McpTool[],
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

@ApiTags('About')
@Controller()
class LlmsController {
  constructor(
    private readonly urls: ServiceUrls,
    private readonly contact: SecurityContact,
    private readonly description: Description,
    private readonly discovery: DiscoveryService,
  ) {}

  @ApiOperation({ summary: 'Get a short guide for agents' })
  @ApiProduces('text/plain')
  @ApiResponse({ status: 200, description: 'Plain text.', schema: { type: 'string' } })
  @Header('content-type', 'text/plain; charset=utf-8')
  @Get('llms.txt')
  index() {
    return text(this.urls, this.contact);
  }

  @ApiOperation({ summary: 'Get the guide for agents with every operation, tool and error code' })
  @ApiProduces('text/plain')
  @ApiResponse({ status: 200, description: 'Plain text.', schema: { type: 'string' } })
  @Header('content-type', 'text/plain; charset=utf-8')
  @Get('llms-full.txt')
  whole() {
    return wholeText(text(this.urls, this.contact), this.urls, this.description, offeredTools(this.discovery));
  }
}

const text = ({ baseUrl, siteDomain, mcpUrl }: ServiceUrls, { uri }: SecurityContact) => `# Stele

> Publishes HTML or a folder at a live URL in one request, without an account, and keeps the full history of each site.

## Use the stele command

curl -fsSL ${baseUrl}/cli/install.sh | sh

The command needs Node 22 or later. "stele deploy FOLDER --json" publishes a folder and prints one JSON object; "stele --help" lists all commands and exit codes. To run it without installing it:

npx --yes --allow-remote=root ${baseUrl}/cli/stele-${version}.tgz deploy FOLDER --instance ${baseUrl} --json

Everything below needs only curl.

## Deploy one page

curl -X POST ${baseUrl}/v1/deploy -H 'content-type: text/html' --data-binary '<h1>Hello</h1>'

The response is JSON: "url" is live at once, and "editToken" is the only way to change the site. Store it; it is shown only once.
To choose the slug, add ?slug=NAME (1 to 48 lowercase letters, digits and hyphens).

## Deploy several files

curl -X POST ${baseUrl}/v1/deploy -H 'content-type: application/json' \\
  -d '{"files":[{"path":"index.html","content":"<link rel=stylesheet href=style.css><h1>Hello</h1>"},{"path":"style.css","content":"h1{color:teal}"}]}'

For binary files, set "encoding": "base64". To send a folder from disk, name every part "files" and set its filename to the path in the site:

curl -X POST ${baseUrl}/v1/deploy -F 'files=@dist/index.html;filename=index.html' -F 'files=@dist/assets/app.js;filename=assets/app.js'

## Replace the site

curl -X PATCH '${baseUrl}/v1/deploy?slug=SLUG' -H 'x-svc-edit-token: EDIT_TOKEN' -H 'content-type: text/html' --data-binary '<h1>Second version</h1>'

The body replaces the whole site; with ?mode=merge, its files are merged into the live ones. To avoid overwriting someone else's change, send the ETag you last saw (every response about the site has one) as If-Match. If someone has deployed, rolled back or claimed the site or changed its access since, the request fails with 412:

curl -X PATCH '${baseUrl}/v1/deploy?slug=SLUG' -H 'x-svc-edit-token: EDIT_TOKEN' -H 'if-match: "REVISION"' -H 'content-type: text/html' --data-binary '<h1>Third version</h1>'

## Send a folder

tar -czf - -C FOLDER . | curl -X POST ${baseUrl}/v1/deploy -H 'content-type: application/gzip' --data-binary @-

To let somebody else send the folder without giving them the token, POST to /v1/deploy/prepared. It returns "uploadUrl" and "command", valid for one deploy within 15 minutes.

curl -X POST '${baseUrl}/v1/deploy/prepared?slug=SLUG' -H 'x-svc-edit-token: EDIT_TOKEN'

## Act for a person

VERIFIER=$(openssl rand -hex 32)
CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | openssl base64 | tr '+/' '-_' | tr -d '=')
curl -H 'accept: application/json' "${baseUrl}/v1/auth/cli?challenge=$CHALLENGE"

Show the person "url" and "userCode": they open the URL, compare the code and approve. Meanwhile, send this every "interval" seconds until the status is 200:

curl -X POST ${baseUrl}/v1/auth/cli/exchange -H 'content-type: application/json' -d '{"ticket":"TICKET","verifier":"'"$VERIFIER"'"}'

The "token" in the response is a session token (authorization: Bearer TOKEN). Sites deployed with it belong to the person.

## View the history and roll back

curl ${baseUrl}/v1/sites/SLUG/deploys -H 'x-svc-edit-token: EDIT_TOKEN'
curl '${baseUrl}/v1/sites/SLUG/deploys/diff?from=DEPLOY_ID&to=OTHER_DEPLOY_ID' -H 'x-svc-edit-token: EDIT_TOKEN'
curl ${baseUrl}/v1/sites/SLUG/files/index.html -H 'x-svc-edit-token: EDIT_TOKEN'
curl ${baseUrl}/v1/sites/SLUG/history -H 'x-svc-edit-token: EDIT_TOKEN'
curl -X POST ${baseUrl}/v1/sites/SLUG/rollback -H 'x-svc-edit-token: EDIT_TOKEN' -H 'content-type: application/json' -d '{"deployId":"DEPLOY_ID"}'

The list of deploys is newest first, and "status" shows which one is live. To undo the last deploy without looking up its ID, roll back to "previous":

curl -X POST ${baseUrl}/v1/sites/SLUG/rollback -H 'x-svc-edit-token: EDIT_TOKEN' -H 'content-type: application/json' -d '{"deployId":"previous"}'

## Read the logs

curl '${baseUrl}/v1/sites/SLUG/logs?level=warn,error' -H 'x-svc-edit-token: EDIT_TOKEN'

Lists requests, deploys and jobs together, newest first. Filters: kind, level, status (404, 4xx), path, q, since, until. With "accept: text/plain", the response is an endless stream of lines, with colours if the URL has ?color=1.
For visits, referrers and missing pages, GET /v1/sites/SLUG/analytics once the capability "analytics" is enabled.

## Upload large files so that you can resume

A preflight lists the missing files, and returns an "uploadToken" if you sent no other credential. Upload each missing file by its SHA-256, then deploy { "path", "sha256" } entries with the same token within a day:

curl -X POST ${baseUrl}/v1/cli/preflight -H 'content-type: application/json' -d '{"files":[{"path":"index.html","size":SIZE,"sha256":"SHA256"}]}'
curl -T index.html ${baseUrl}/v1/uploads/SHA256 -H 'x-svc-upload-token: UPLOAD_TOKEN'
curl -X POST ${baseUrl}/v1/deploy -H 'x-svc-upload-token: UPLOAD_TOKEN' -H 'content-type: application/json' -d '{"files":[{"path":"index.html","sha256":"SHA256"}]}'

If the connection breaks, send HEAD to the upload to get "upload-offset", then PATCH the rest with content-type: application/partial-upload, that upload-offset, and upload-complete: ?1.

## Deploy a public repository

curl -X POST ${baseUrl}/v1/repo/check -H 'content-type: application/json' -d '{"url":"https://github.com/OWNER/NAME"}'
curl -X POST ${baseUrl}/v1/repo/deploy -H 'content-type: application/json' -d '{"url":"https://github.com/OWNER/NAME"}'
curl -N EVENTS_URL

The check returns how the repository would be built and published, with warnings, or what to change. The deploy returns "eventsUrl", a stream of every step and log line.
If the repository contains several sites, set "rootDirectory" to the folder of one. "plan" overrides the detected settings ("buildCommand", "outputDirectory" and so on).

## Let a page call an agent

The site needs an owner (see "Act for a person"). Create a token for the agent, and enable the connector:

curl -X POST ${baseUrl}/v1/sites/SLUG/connector/tokens -H 'authorization: Bearer TOKEN' -H 'content-type: application/json' -d '{"name":"my machine"}'
curl -X POST ${baseUrl}/v1/sites/SLUG/capabilities -H 'authorization: Bearer TOKEN' -H 'content-type: application/json' -d '{"name":"connector","enabled":true}'

The agent, which can run anywhere, polls for work and reports each result under the "id" of the work. A poll returns 204 if there is no work:

curl '${baseUrl}/v1/connector/poll?wait=25' -H 'authorization: Bearer CONNECTOR_TOKEN'
curl -X POST ${baseUrl}/v1/connector/result/ID -H 'authorization: Bearer CONNECTOR_TOKEN' -H 'content-type: application/json' -d '{"output":{"answer":42}}'

In the script of the page:

const answer = await fetch('/.stele/invoke', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ input: { question: 'six times nine?' } }) });
const { status, output, error } = await answer.json(); // "succeeded" and output, "failed" and error, or 202 and "queued"

## Use MCP tools instead

Add ${mcpUrl} to an MCP client (Streamable HTTP, no key). Its tools (deploy_html, redeploy, list_deploys, diff_deploys, rollback and others) offer the same operations. Publishing needs no sign-in; to work with anything that belongs to a user, call sign_in, and the client asks the user to sign in.

curl -X POST ${mcpUrl} -H 'content-type: application/json' -H 'accept: application/json, text/event-stream' -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'

## Where sites live

Each site has its own host, http(s)://SLUG.${siteDomain}/. It is also served at ${baseUrl}/s/SLUG/, in a browser sandbox (use relative links there).
Every past deploy remains available at its "previewUrl".

## More

- [Complete reference](${baseUrl}/llms-full.txt): this guide with every operation, tool and error code
- [API reference](${baseUrl}/openapi.json): OpenAPI description of every operation
- [Templates](${baseUrl}/v1/code/templates): pages to fill in, each with a schema; when signed in, POST /v1/code/generate creates a page from a template or a prompt and publishes it
- [Limits](${baseUrl}/v1/limits): sizes, rates and reserved slugs that apply to you
- [Changelog](${baseUrl}/v1/changelog.md), also as JSON (/v1/changelog) and RSS (/v1/changelog.rss)
- [Health](${baseUrl}/health) of this process, and [status of the service](${baseUrl}/status)
- Errors are application/problem+json with a "code", a "detail" and often a "suggestion"; ${baseUrl}/errors/CODE explains each code
- Report security issues of this service to ${uri.startsWith(baseUrl) ? 'its operator, who has not published a contact' : uri}
`;

export const llms: Feature = { routes: [LlmsController] };
