import { applyDecorators } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';
import { z } from 'zod';
import { DeployJson } from './json-body.js';

const { $schema: _, ...deployJson } = z.toJSONSchema(DeployJson, { target: 'openapi-3.0', io: 'input' });

/** The forms a deploy comes in, for /openapi.json; `deploy-body.ts` reads them as they arrive. */
export const DeployBody = () =>
  applyDecorators(
    ApiBody({
      required: true,
      content: {
        'text/html': { schema: { type: 'string' }, example: '<h1>Hello</h1>' },
        'application/json': { schema: deployJson as object },
        'multipart/form-data': {
          schema: {
            type: 'object',
            required: ['files'],
            properties: {
              files: {
                type: 'array',
                items: { type: 'string', format: 'binary' },
                description: 'One part per file; the part’s filename is the path in the site, such as assets/app.js.',
              },
            },
          },
        },
      },
    } as never),
  );
