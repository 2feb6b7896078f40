import { describe, expect, it } from '@jest/globals';
import { logLine } from './log-line.js';
import { plainText, styledText } from './sgr.js';

const shown = (line: string) => styledText(line.replaceAll('^', '\u001b[')).map(({ text, classes }) => [text, classes]);

describe('A line with terminal colours', () => {
  it.each<[string, string[][]]>([
    ['plain', [['plain', '']]],
    [
      '^31mred^0m not',
      [
        ['red', 'f1'],
        [' not', ''],
      ],
    ],
    [
      '^1;4;92mall^mnone',
      [
        ['all', 'f10 sb su'],
        ['none', ''],
      ],
    ],
    [
      '^1;2mx^22my',
      [
        ['x', 'sb sd'],
        ['y', ''],
      ],
    ],
    [
      '^3mi^23;9ms^29;7mv^27m.',
      [
        ['i', 'si'],
        ['s', 'ss'],
        ['v', 'sv'],
        ['.', ''],
      ],
    ],
    [
      '^30;47mon^39;49moff',
      [
        ['on', 'f0 b7'],
        ['off', ''],
      ],
    ],
    ['^100;97mx', [['x', 'f15 b8']]],
    [
      '^38;5;208mx^48;5;16my',
      [
        ['x', 'f208'],
        ['y', 'f208 b16'],
      ],
    ],
    ['^38;2;255;95;0mx', [['x', 'f202']]],
    [
      '^38:2::128:128:128mx^1my',
      [
        ['x', 'f244'],
        ['y', 'f244 sb'],
      ],
    ],
    [
      '^4:3mcurly^4:0mnot',
      [
        ['curly', 'su'],
        ['not', ''],
      ],
    ],
    ['^58;5;1;31mx', [['x', 'f1']]],
    ['^8mconcealed', [['concealed', '']]],
    [
      '^38;5mx^38;9mx^38;5;999mx^38;2;1mx',
      [
        ['x', ''],
        ['x', ''],
        ['x', ''],
        ['x', ''],
      ],
    ],
    [
      '^99999999999mx^;;;mx',
      [
        ['x', ''],
        ['x', ''],
      ],
    ],
    ['^31', [['31', '']]],
    ['', []],
  ])('the line %j is split into pieces that each have one style', (line, pieces) =>
    expect(shown(line)).toEqual(pieces),
  );

  it('a line without colours is plain text', () =>
    expect(plainText('\u001b[1;31mred\u001b[0m and \u001b[4mnot')).toBe('red and not'));

  it('a line is converted to HTML, and its text is escaped', () => {
    const text = '<script>\u001b[31m"&\'\u001b[0m';
    expect(logLine({ n: 7, stream: 'stderr', text }).markup).toBe(
      '<li id="L7" class="err"><a href="#L7" tabindex="-1">7</a><code>&lt;script&gt;<span class="f1">&quot;&amp;&#39;</span></code></li>',
    );
  });

  it('a line is parsed in linear time', () => {
    const began = performance.now();
    styledText('\u001b[1m'.repeat(100_000));
    styledText(`\u001b[${'1;'.repeat(500_000)}`);
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});
