import { readFileSync } from 'node:fs';
import type { Given } from '../points/observed.js';
import { type Verb, verb } from '../points/verb.js';
import type { World } from '../points/world.js';
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

export const generating: readonly Verb[] = [
  verb({
    operation: 'POST /v1/code/generate',
    way: 'of a template',
    prepare: freeName,
    again: 'another',
    meanwhile: slugHeld,
    ask: ({ api }, { slug, by }) =>
      api.post('/v1/code/generate').set(by).send({ template: 'status-notice', parameters: NOTICE, deploy: true, slug }),
  }),
  verb({
    operation: 'POST /v1/code/generate',
    way: 'by a model',
    prepare: freeName,
    again: 'another',
    meanwhile: slugHeld,
    ask: ({ api }, { slug, by }) =>
      api.post('/v1/code/generate').set(by).send({ prompt: 'A quiet page', deploy: true, slug }),
  }),
];
