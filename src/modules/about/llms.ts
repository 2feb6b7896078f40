import { Controller, Get, Header, Inject } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { ApiOperation, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ServiceUrls } from '../../http/api/service-urls.js';
import { type Feature, offeredTools } from '../../process/nest/features.js';
import { SecurityContact } from '../../settings.js';
import { wholeText } from './llms-full.js';
import { Description } from './openapi/description.js';

@ApiTags('About')
@Controller()
class LlmsController {
  constructor(
    @Inject(ServiceUrls) private readonly urls: ServiceUrls,
    @Inject(SecurityContact) private readonly contact: SecurityContact,
    @Inject(Description) private readonly description: Description,
    @Inject(DiscoveryService) private readonly discovery: DiscoveryService,
  ) {}

  @ApiOperation({ summary: 'What an agent needs to deploy in one request' })
  @ApiProduces('text/plain')
  @ApiResponse({ status: 200, description: 'Plain text.', schema: { type: 'string' } })
  @Header('content-type', 'text/plain; charset=utf-8')
  @Get('llms.txt')
  index() {
    return text(this.urls, this.contact);
  }

  @ApiOperation({ summary: 'The same, with every operation, tool and error code' })
  @ApiProduces('text/plain')
  @ApiResponse({ status: 200, description: 'Plain text.', schema: { type: 'string' } })
  @Header('content-type', 'text/plain; charset=utf-8')
  @Get('llms-full.txt')
  whole() {
    return wholeText(text(this.urls, this.contact), this.urls, this.description, offeredTools(this.discovery));
  }
}

const text = ({ baseUrl, siteDomain, mcpUrl }: ServiceUrls, { uri }: SecurityContact) => `# Stele

> Puts HTML or a folder on a live address in one request, without an account, and records how each site came to be.

## Deploy one page

curl -X POST ${baseUrl}/v1/deploy -H 'content-type: text/html' --data-binary '<h1>Hello</h1>'

The answer is JSON: "url" is live at once, "editToken" is the only key to the site. Keep it; it is not shown again.
To choose the name, add ?slug=NAME (1 to 48 lower-case letters, digits, hyphens).

## Deploy several files

curl -X POST ${baseUrl}/v1/deploy -H 'content-type: application/json' \\
  -d '{"files":[{"path":"index.html","content":"<link rel=stylesheet href=style.css><h1>Hello</h1>"},{"path":"style.css","content":"h1{color:teal}"}]}'

Binary files: "encoding": "base64". A folder from disk, every part named "files", its filename the path in the site:

curl -X POST ${baseUrl}/v1/deploy -F 'files=@dist/index.html;filename=index.html' -F 'files=@dist/assets/app.js;filename=assets/app.js'

## Replace the site

curl -X PATCH '${baseUrl}/v1/deploy?slug=SLUG' -H 'x-svc-edit-token: EDIT_TOKEN' -H 'content-type: text/html' --data-binary '<h1>Second version</h1>'

The body is the whole new site; with ?mode=merge the files of the body go over the live ones. To be sure not to overwrite somebody else's change send the etag of what you saw (every answer about the site has one) as If-Match; 412 says that the site has changed since:

curl -X PATCH '${baseUrl}/v1/deploy?slug=SLUG' -H 'x-svc-edit-token: EDIT_TOKEN' -H 'if-match: "REVISION"' -H 'content-type: text/html' --data-binary '<h1>Third version</h1>'

## Send a folder

tar -czf - -C FOLDER . | curl -X POST ${baseUrl}/v1/deploy -H 'content-type: application/gzip' --data-binary @-

For somebody else to send, without the token: POST /v1/deploy/prepared answers "uploadUrl" and "command", good for one deploy within fifteen minutes.

curl -X POST '${baseUrl}/v1/deploy/prepared?slug=SLUG' -H 'x-svc-edit-token: EDIT_TOKEN'

## Act for a person

VERIFIER=$(openssl rand -hex 32)
CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | openssl base64 | tr '+/' '-_' | tr -d '=')
curl -H 'accept: application/json' "${baseUrl}/v1/auth/cli?challenge=$CHALLENGE"

Show the person "url" and "userCode": they open the address, compare the code and approve. Then, every "interval" seconds until it is 200:

curl -X POST ${baseUrl}/v1/auth/cli/exchange -H 'content-type: application/json' -d '{"ticket":"TICKET","verifier":"'"$VERIFIER"'"}'

The answer's "token" is a session (authorization: Bearer TOKEN): sites deployed with it belong to the person.

## Look back, and go back

curl ${baseUrl}/v1/sites/SLUG/deploys -H 'x-svc-edit-token: EDIT_TOKEN'
curl '${baseUrl}/v1/sites/SLUG/deploys/diff?from=DEPLOY_ID&to=OTHER_DEPLOY_ID' -H 'x-svc-edit-token: EDIT_TOKEN'
curl ${baseUrl}/v1/sites/SLUG/files/index.html -H 'x-svc-edit-token: EDIT_TOKEN'
curl ${baseUrl}/v1/sites/SLUG/history -H 'x-svc-edit-token: EDIT_TOKEN'
curl -X POST ${baseUrl}/v1/sites/SLUG/rollback -H 'x-svc-edit-token: EDIT_TOKEN' -H 'content-type: application/json' -d '{"deployId":"DEPLOY_ID"}'

The list of deploys is newest first, and "status" says which is live. To undo the last deploy without looking, roll back to "previous":

curl -X POST ${baseUrl}/v1/sites/SLUG/rollback -H 'x-svc-edit-token: EDIT_TOKEN' -H 'content-type: application/json' -d '{"deployId":"previous"}'

## See who asks, and what fails

curl '${baseUrl}/v1/sites/SLUG/logs?level=warn,error' -H 'x-svc-edit-token: EDIT_TOKEN'

Requests, deploys and jobs in one list, newest first. Filters: kind, level, status (404, 4xx), path, q, since, until. With "accept: text/plain" they are followed as lines, without an end.
How many came, from where, and which pages are missing: GET /v1/sites/SLUG/analytics, once the capability "analytics" is on.

## Send large files so that a cut connection costs little

Ask what is missing; the answer has "uploadToken" where you have no other credential. Send each missing file by its SHA-256, then deploy { "path", "sha256" } entries with the same token, within a day:

curl -X POST ${baseUrl}/v1/cli/preflight -H 'content-type: application/json' -d '{"files":[{"path":"index.html","size":SIZE,"sha256":"SHA256"}]}'
curl -T index.html ${baseUrl}/v1/uploads/SHA256 -H 'x-svc-upload-token: UPLOAD_TOKEN'
curl -X POST ${baseUrl}/v1/deploy -H 'x-svc-upload-token: UPLOAD_TOKEN' -H 'content-type: application/json' -d '{"files":[{"path":"index.html","sha256":"SHA256"}]}'

Cut in the middle: HEAD the upload for "upload-offset", then PATCH the rest with content-type: application/partial-upload, that upload-offset, and upload-complete: ?1.

## Deploy a public repository

curl -X POST ${baseUrl}/v1/repo/check -H 'content-type: application/json' -d '{"url":"https://github.com/OWNER/NAME"}'
curl -X POST ${baseUrl}/v1/repo/deploy -H 'content-type: application/json' -d '{"url":"https://github.com/OWNER/NAME"}'
curl -N EVENTS_URL

The check says how it would be built and published, with warnings, or what to change; the deploy answers "eventsUrl", which tells each step and line.
"rootDirectory" names the folder of a site in a repository of many; "plan" overrides what was detected ("buildCommand", "outputDirectory" and the like).

## Let a page ask an agent

Needs a site that somebody owns (see "Act for a person"). Switch the connector on, and make a token for the agent:

curl -X POST ${baseUrl}/v1/sites/SLUG/connector/tokens -H 'authorization: Bearer TOKEN' -H 'content-type: application/json' -d '{"name":"my machine"}'
curl -X POST ${baseUrl}/v1/sites/SLUG/capabilities -H 'authorization: Bearer TOKEN' -H 'content-type: application/json' -d '{"name":"connector","enabled":true}'

The agent, anywhere: ask for work again and again (204 says that there is none), and answer each by its "id":

curl '${baseUrl}/v1/connector/poll?wait=25' -H 'authorization: Bearer CONNECTOR_TOKEN'
curl -X POST ${baseUrl}/v1/connector/result/ID -H 'authorization: Bearer CONNECTOR_TOKEN' -H 'content-type: application/json' -d '{"output":{"answer":42}}'

The page, in its script:

const answer = await fetch('/.stele/invoke', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ input: { question: 'six times nine?' } }) });
const { status, output, error } = await answer.json(); // "succeeded" and output, "failed" and error, or 202 and "queued"

## Have tools in the place of lines

Add ${mcpUrl} to an MCP client (Streamable HTTP, no key): deploy_html, redeploy, list_deploys, diff_deploys, rollback and others, the same interface. Publishing needs no sign-in; what is a person's asks them by the client's own sign-in.

curl -X POST ${mcpUrl} -H 'content-type: application/json' -H 'accept: application/json, text/event-stream' -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'

## Where sites live

Each site has a host of its own, http(s)://SLUG.${siteDomain}/, and is also shown, sandboxed, at ${baseUrl}/s/SLUG/ (use relative links there).
Every past deploy stays readable at its "previewUrl".

## More

- [Everything at once](${baseUrl}/llms-full.txt): this text with every operation, tool and error code
- [The whole interface](${baseUrl}/openapi.json): OpenAPI; what is marked "x-status: planned" is not built yet
- [Templates](${baseUrl}/v1/code/templates): pages to fill in, each with a schema; signed in, POST /v1/code/generate makes a page of one, or of a sentence, and publishes it
- [Limits](${baseUrl}/v1/limits): sizes, rates and reserved names that apply to you
- [Changes](${baseUrl}/v1/changelog.md); also as JSON (/v1/changelog) and RSS (/v1/changelog.rss)
- [Health](${baseUrl}/health) of this process, and [how the service is and has been](${baseUrl}/status)
- Errors are application/problem+json with a "code" and mostly a "suggestion"; ${baseUrl}/errors/CODE explains each
- A weakness of this service is best told to ${uri.startsWith(baseUrl) ? 'whoever runs this server; they have named no address for it' : uri}
`;

export const llms: Feature = { routes: [LlmsController] };
