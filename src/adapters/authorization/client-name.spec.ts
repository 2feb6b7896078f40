import { describe, expect, it } from '@jest/globals';
import { cleanClientName } from './client-name.js';

describe('A client’s name', () => {
  it.each([
    ['Claude', 'Claude'],
    ['  Visual   Studio Code ', 'Visual Studio Code'],
    ['Claude Code (ann@example.org)', 'Claude Code'],
    ['ann@example.org', ''],
    ['Agent\u0000\u001b[31m red', 'Agent [31m red'],
    ['\u202eedualC', 'edualC'],
    ['zero\u200bwidth', 'zero width'],
    ['line\nbreak\u2028s', 'line break s'],
    ['Агент 007', 'Агент 007'],
    ['\ud800lone', 'lone'],
    ['', ''],
  ])('the name %j is cleaned to %j', (name, clean) => expect(cleanClientName(name)).toBe(clean));

  it('a long name is truncated between two characters', () => {
    expect(Array.from(cleanClientName('🤖'.repeat(200)))).toHaveLength(60);
    expect(cleanClientName(`${'x '.repeat(500_000)}`).length).toBeLessThanOrEqual(60);
  });
});
