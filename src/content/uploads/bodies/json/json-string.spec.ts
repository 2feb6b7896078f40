import { describe, expect, it } from '@jest/globals';
import { unescaped } from './json-string.js';

const texts = ['', 'plain', '<p class="a">\n\t\\ / \b\f\r</p>', 'é € 😀 \u0000 \u007f \u2028', '😀😀', 'a\\u0041'];

/** Decodes a string in two chunks, once for each position at which it can be split. */
function* cutAnywhere(quoted: string) {
  const bytes = Buffer.from(quoted).subarray(1);
  for (let cut = 0; cut <= bytes.length; cut++) {
    const first = unescaped(bytes.subarray(0, cut));
    if (!first) yield null;
    else if (first.ended) yield first.text;
    else {
      const second = unescaped(bytes.subarray(first.used));
      yield second?.ended ? Buffer.concat([first.text, second.text]) : null;
    }
  }
}

const escapedWhole = (text: string) =>
  `"${Array.from({ length: text.length }, (_, n) => `\\u${text.charCodeAt(n).toString(16).padStart(4, '0')}`).join('')}"`;

describe('A JSON string', () => {
  it.each(texts)('the result is the same as from JSON.parse, no matter where the string is split: %j', (text) => {
    for (const quoted of [JSON.stringify(text), escapedWhole(text)])
      for (const read of cutAnywhere(quoted)) expect(read?.toString()).toBe(text);
  });

  it.each(['"\\ud800"', '"\\ud800x"', '"\\ud800\\n"', '"\\ud800\\ud800"', '"\\udc00\\ud800"', '"\\ud800\\u0041"'])(
    'a lone surrogate is reported: %s',
    (quoted) => {
      for (const read of cutAnywhere(quoted)) expect(read).toBeNull();
      expect(unescaped(Buffer.from(quoted).subarray(1))).toMatchObject({ isLone: true, used: 0 });
    },
  );

  it.each(['a\nb"', 'a\u0000"', '\\x41"', '\\u12g4"', '\\u 123"', '\\U0041"', '\\\n"', '\\u{41}"'])(
    'an invalid string is refused: %j',
    (rest) => {
      expect(unescaped(Buffer.from(rest))).toBeNull();
    },
  );
});
