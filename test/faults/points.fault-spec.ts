import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { appendFileSync } from 'node:fs';
import { difference, refer } from '../support/faults/points/trial.js';
import { nameOf } from '../support/faults/points/verb.js';
import { World } from '../support/faults/points/world.js';
import { verbs } from '../support/faults/verbs/verbs.js';

let world: World;
beforeAll(async () => {
  world = await World.open();
}, 60_000);
afterAll(() => world?.close(), 60_000);

it.each(verbs.map((verb) => [nameOf(verb), verb] as const))('%s', async (_, verb) => {
  const reference = await refer(world, verb);
  const second = await refer(world, verb);
  appendFileSync('/tmp/reached.txt', `${JSON.stringify({verb: nameOf(verb), reached: reference.reached, again: difference(reference.after, reference.again), change: difference(reference.before, reference.after)})}\n`);
  expect(difference(reference.before, second.before) + difference(reference.after, second.after)).toBe('');
}, 120_000);
