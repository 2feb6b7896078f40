import { expect, it } from '@jest/globals';
import { explainOldNode } from './node-version.js';

it.each(['18.20.4', '20.20.2', '22.23.0', '23.11.1'])('Node %s is rejected with instructions', (version) =>
  expect(explainOldNode(version)).toMatch(`Node 24 or later, but this is Node ${version}. Use`),
);

it.each(['24.0.0', '24.21.0', '26.1.0'])('Node %s is accepted', (version) =>
  expect(explainOldNode(version)).toBeNull(),
);
