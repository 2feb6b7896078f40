import { describe, expect, it } from '@jest/globals';
import { canBeMajor } from './node-version.js';

describe('canBeMajor', () => {
  it.each([
    '24',
    'v24.1.0',
    '^24',
    '~24.3',
    '>=20',
    '>=18 <25',
    '>= 20',
    '18 || 24',
    '*',
    'lts/*',
    '24.x',
    '<=24',
    '<25',
    '<24.5',
  ])('accepts %s for Node 24', (range) => expect(canBeMajor(range, 24)).toBe(true));
  it.each(['20', 'v22.1.0', '^18', '>=26', '<24', '<24.0.0', '>=18 <24', '18 || 20'])(
    'rejects %s for Node 24',
    (range) => expect(canBeMajor(range, 24)).toBe(false),
  );
});
