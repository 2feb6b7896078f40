import { describe, expect, it } from '@jest/globals';
import { uncoloured } from './uncoloured-text.js';

const textOf = (_event: string, text: string) => text;

describe('uncoloured', () => {
  it('removes only colour codes', () =>
    expect(uncoloured(textOf)('', '\u001b[1mbuild\u001b[0m\n\u001b[38;2;1;2;3mred \u001b[4:3m[0m\u001b[m\n')).toBe(
      'build\nred [0m\n',
    ));

  it('returns the same function each time it is called with the same text format', () =>
    expect(uncoloured(textOf)).toBe(uncoloured(textOf)));
});
