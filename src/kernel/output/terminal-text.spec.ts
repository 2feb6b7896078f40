import { describe, expect, it } from '@jest/globals';
import { LineReader, terminalText } from './terminal-text.js';

const ESC = '\u001b';

describe('A line of a log', () => {
  it.each([
    ['plain', 'plain'],
    [`${ESC}[31mred${ESC}[0m`, `${ESC}[31mred${ESC}[0m`],
    [`${ESC}[38;2;1;2;3mtrue colour${ESC}[m`, `${ESC}[38;2;1;2;3mtrue colour${ESC}[m`],
    ['tab\tbed', 'tab\tbed'],
    ['with a carriage return\r', 'with a carriage return'],
    ['10 %\r50 %\r100 %', '100 %'],
    ['10 %\r100 %\r', '100 %'],
    [`${ESC}[2J${ESC}[1;1Hcleared`, 'cleared'],
    [`${ESC}]0;title\u0007after`, 'after'],
    [`${ESC}]8;;https://example.org${ESC}\\link${ESC}]8;;${ESC}\\`, 'link'],
    [`${ESC}P+q544e${ESC}\\asked`, 'asked'],
    [`${ESC}]never ends`, ''],
    [`${ESC}[never`, 'ever'],
    [`${ESC}c${ESC}7${ESC}(Breset`, 'reset'],
    [`a${ESC}`, 'a'],
    ['bell\u0007\u0008\u0000', 'bell'],
    ['\u009b2Jeight bits\u009d0;title\u009c', 'eight bits'],
    ['\u202egnp.exe\u2066', 'gnp.exe'],
    ['é 😀 中文', 'é 😀 中文'],
  ])('the line %j is shown as %j', (line, shown) => expect(terminalText(line)).toBe(shown));
});

describe('The output of a command', () => {
  async function linesOf(...pieces: (string | Uint8Array)[]) {
    const lines: string[] = [];
    const reader = new LineReader(async (text) => void lines.push(text));
    for (const piece of pieces) await reader.read(typeof piece === 'string' ? Buffer.from(piece) : piece);
    await reader.end();
    return lines;
  }

  it('output is split into lines regardless of chunk boundaries', async () => {
    const text = Buffer.from('one\r\ntwo é😀\n\nfour');
    const expected = ['one', 'two é😀', '', 'four'];
    expect(await linesOf(text)).toEqual(expected);
    for (let at = 1; at < text.length; at++)
      expect(await linesOf(text.subarray(0, at), text.subarray(at))).toEqual(expected);
  });

  it('an endless line is truncated, and output continues with the next line', async () => {
    const [long, next] = await linesOf('x'.repeat(50_000), 'x'.repeat(50_000), 'x\nnext\n');
    expect(long).toBe(`${'x'.repeat(65_536)}…`);
    expect(next).toBe('next');
  });

  it('output is shown even if it is not valid UTF-8', async () =>
    expect(await linesOf(Uint8Array.of(0xff, 0x61, 0x0a))).toEqual(['\ufffda']));
});
