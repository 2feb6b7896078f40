// needs: containers, busybox

import { afterAll, beforeAll } from '@jest/globals';
import { Containers } from '../../src/sandbox/container/container.engine.js';
import { builderContract } from '../contracts/builder.contract.js';
import { containerEngine, type EngineUnderTest } from '../support/builds/container-engine.js';

let engine: EngineUnderTest;
beforeAll(async () => {
  engine = await containerEngine();
}, 60_000);
afterAll(() => engine?.close());

builderContract('A container engine', () => new Containers(null, engine.env));
