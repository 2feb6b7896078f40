import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { Description } from './description.js';
import { listOperations } from './document.js';
import { eventSchemas } from './event-schemas.js';
import { headerParameters } from './header-parameters.js';
import { problemResponses } from './problem-responses.js';
import { responseHeaders } from './response-headers.js';
import { converted } from './schemas.js';
import { security } from './security.js';
import { tags } from './tags.js';

/**
 * Moves the request bodies and additional media types that routes declare as extensions (`x-…`) to where OpenAPI
 * expects them.
 */
function ownWords(document: OpenAPIObject): OpenAPIObject {
  for (const { operation } of listOperations(document)) {
    const { 'x-request-body': body, 'x-also-answers': also } = operation;
    const answer = operation.responses[200];
    if (body !== undefined) operation.requestBody = body;
    if (also !== undefined && answer) answer.content = { ...answer.content, ...also };
  }
  return document;
}

const OWN =
  /^x-(route|takes-.*|reads-own-writes|access|events|lines|problems|request-body|also-answers|has-etag|links)$/;

function withoutTraits(document: OpenAPIObject): OpenAPIObject {
  for (const { operation } of listOperations(document)) {
    for (const name of Object.keys(operation)) if (OWN.test(name)) Reflect.deleteProperty(operation, name);
  }
  return document;
}

/** Adds to each successful response the operations that can follow it (OpenAPI 3.1, "Link Object"). */
function links(document: OpenAPIObject): OpenAPIObject {
  for (const { operation } of listOperations(document)) {
    const next = operation['x-links'];
    if (next === undefined) continue;
    for (const [status, response] of Object.entries(operation.responses))
      if (status.startsWith('2')) response.links = Object.fromEntries(next.map((link) => [link.operationId, link]));
  }
  return document;
}

/**
 * The API description is built on demand, because building it takes about a twelfth of the startup time and most
 * processes never need it.
 */
export function describe(app: INestApplication, urls: ServiceUrls) {
  app.get(Description).makeBy(() => described(app, urls.baseUrl));
}

function described(app: INestApplication, baseUrl: string): OpenAPIObject {
  const base = new DocumentBuilder()
    .setTitle('Stele')
    .setDescription(
      'Publishes HTML or a set of files at a live URL in one request, and keeps the full history of each site.',
    )
    .setVersion('1.0.0')
    .setOpenAPIVersion('3.1.1')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer(baseUrl)
    .build();
  const document = SwaggerModule.createDocument(app, base, {
    operationIdFactory: (_controller, method) => method,
    autoTagControllers: false,
    standardSchemaConverter: converted,
  });
  const described = headerParameters(security(withServing(eventSchemas(ownWords(document)))));
  return tags(withoutTraits(responseHeaders(links(problemResponses(described)))));
}

/**
 * Adds the path that serves sites. The generator does not find this path, because requests for sites are handled before
 * they reach the router.
 */
function withServing(document: OpenAPIObject): OpenAPIObject {
  document.paths['/s/{slug}/{path}'] = {
    get: {
      operationId: 'visit',
      summary: 'Visit a published site in a sandbox',
      description:
        'The site is also served on its own host without the sandbox. The response to a deploy contains that URL as `url`.',
      tags: ['Serving'],
      parameters: [
        { name: 'slug', in: 'path', required: true, schema: { type: 'string' } },
        {
          name: 'path',
          in: 'path',
          required: true,
          description: 'Path in the site, including slashes. Empty for the front page, `/s/{slug}/`.',
          schema: { type: 'string' },
        },
      ],
      responses: {
        200: { description: 'The page.' },
        404: { description: 'The site’s 404.html, or a plain page.' },
      },
    },
  };
  return document;
}
