import { ApiExtension } from '@nestjs/swagger';
import { z } from 'zod';
import { DeployJson } from '../../../../content/uploads/bodies/json/json-body.js';

const { $schema: _, ...json } = z.toJSONSchema(DeployJson, { io: 'input' });

const FOLDER =
  'If everything is in a single folder that has an index.html, the folder is removed from all paths, and a warning reports this. With mode=merge, paths are never changed.';

const archive = (description: string) => ({ schema: { type: 'string', format: 'binary', description } });

/**
 * The forms a deploy comes in, for /openapi.json: bodies that handlers read as they arrive are no parameter that the
 * generator could see, so the description takes them from here.
 */
export const DeployBody = () =>
  ApiExtension('x-request-body', {
    required: true,
    content: {
      'text/html': { schema: { type: 'string', minLength: 1 }, example: '<h1>Hello</h1>' },
      'application/json': { schema: json },
      'multipart/form-data': {
        schema: {
          type: 'object',
          required: ['files'],
          properties: {
            files: {
              type: 'array',
              items: { type: 'string', format: 'binary' },
              description:
                'One part per file. The part’s filename is the file’s path in the site, such as assets/app.js.',
            },
          },
        },
      },
      'application/zip': archive(`A zip archive. ${FOLDER}`),
      'application/gzip': archive(`A tar.gz archive. ${FOLDER}`),
    },
  });
