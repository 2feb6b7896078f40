import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { ServiceUrls } from '../../../http/api/service-urls.js';
import { answerHeaders } from './answer-headers.js';
import { Description } from './description.js';
import { eventSchemas } from './event-schemas.js';
import { headerParameters } from './header-parameters.js';
import { links } from './links.js';
import { ownWords, withoutTraits } from './own-words.js';
import { planned } from './planned.js';
import { problemResponses } from './problem-responses.js';
import { converted } from './schemas.js';
import { security } from './security.js';

/**
 * Describes the interface from the routes and their schemas; what is not built yet is listed as planned. That takes as
 * long as a twelfth of a start, and most processes are never asked for it.
 */
export function describe(app: INestApplication, urls: ServiceUrls) {
  app.get(Description).makeBy(() => described(app, urls.baseUrl));
}

function described(app: INestApplication, baseUrl: string): OpenAPIObject {
  const base = new DocumentBuilder()
    .setTitle('Stele')
    .setDescription(
      'Puts HTML or a set of files on a live address in one request, and never forgets how each site came to be.',
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
  const described = headerParameters(security(withPlanned(withServing(eventSchemas(ownWords(document))))));
  return withoutTraits(answerHeaders(links(problemResponses(described))));
}

/** Adds how sites are served: that happens in front of the routes, where the generator does not see it. */
function withServing(document: OpenAPIObject): OpenAPIObject {
  document.paths['/s/{slug}/{path}'] = {
    get: {
      operationId: 'visit',
      summary: 'A published site, sandboxed',
      description: 'The site also has a host of its own (`url` of the deploy result), without the sandbox.',
      tags: ['Serving'],
      parameters: [
        { name: 'slug', in: 'path', required: true, schema: { type: 'string' } },
        {
          name: 'path',
          in: 'path',
          required: true,
          description: 'With its slashes; empty for the front page, `/s/{slug}/`.',
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

function withPlanned(document: OpenAPIObject): OpenAPIObject {
  for (const [path, methods] of planned) {
    const entry: Record<string, unknown> = { ...document.paths[path] };
    for (const method of methods) {
      entry[method] ??= {
        summary: 'Not built yet',
        'x-status': 'planned',
        parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
          name,
          in: 'path',
          required: true,
          schema: { type: 'string' },
        })),
        responses: { 404: { $ref: '#/components/responses/Problem' } },
      };
    }
    document.paths[path] = entry;
  }
  return document;
}
