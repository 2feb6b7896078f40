import { readFileSync } from 'node:fs';
import type { Given } from '../faults/points/observed.js';
import { verb } from '../faults/points/verb.js';
import type { World } from '../faults/points/world.js';
import type { Operation } from './operation.js';
import { freeName } from './starting-points.js';

const { example: NOTICE } = JSON.parse(readFileSync('templates/status-notice/template.json', 'utf8'));

/**
 * Without an idempotency key, a failed attempt leaves the slug reserved for ten minutes for a site that was never
 * created.
 */
const slugHeld = {
  code: 'slug_taken',
  pass: async (world: World, { slug }: Given) => {
    const at = new Date(Date.now() - 11 * 60_000).toISOString();
    await world.stele.query(`update events set at = '${at}' where stream = 'slug-${slug}'`);
    await world.restart();
  },
};

export const generating: readonly Operation[] = [
  {
    operation: 'GET /v1/code/templates',
    callers: [200, 200],
  },
  {
    operation: 'GET /v1/code/templates/{name}/preview',
    callers: [404, 404],
  },
  {
    operation: 'POST /v1/code/generate',
    callers: [401, 400],
    verbs: [
      verb({
        way: 'of a template',
        prepare: freeName,
        again: 'another',
        meanwhile: slugHeld,
        ask: ({ api }, { slug, by }) =>
          api
            .post('/v1/code/generate')
            .set(by)
            .send({ template: 'status-notice', parameters: NOTICE, deploy: true, slug }),
      }),
      verb({
        way: 'by a model',
        prepare: freeName,
        again: 'another',
        meanwhile: slugHeld,
        ask: ({ api }, { slug, by }) =>
          api.post('/v1/code/generate').set(by).send({ prompt: 'A quiet page', deploy: true, slug }),
      }),
    ],
  },
];
