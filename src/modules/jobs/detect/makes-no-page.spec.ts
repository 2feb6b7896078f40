import { describe, expect, it } from '@jest/globals';
import { detect, packageJson } from '../../../../test/support/sites/commit-in-memory.js';

describe('What makes no page', () => {
  it('a library or a tool makes no page, and it says so', async () => {
    const library = packageJson({}, { scripts: { build: 'tsc -p .' }, exports: './dist/index.js' });
    await expect(detect({ 'package.json': library })).rejects.toMatchObject({
      code: 'plan_not_detected',
      detail: expect.stringContaining('a library or a tool'),
    });
    expect((await detect({ 'package.json': library }, { plan: { kind: 'static_build' } })).plan.kind).toBe(
      'static_build',
    );
    expect((await detect({ 'package.json': library, 'index.html': 'x' })).plan.kind).toBe('static_build');
  });
});
