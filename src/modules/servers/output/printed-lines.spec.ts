import { describe, expect, it } from '@jest/globals';
import { Masks } from '../../../kernel/output/masks.js';
import { PrintedLines } from './printed-lines.js';

function printed(secrets: readonly string[] = []) {
  const told: (readonly [string | null, string])[] = [];
  const lines = new PrintedLines(new Masks(secrets), (stream, text) => told.push([stream, text]));
  const print = (text: string) => lines.print('stdout', Buffer.from(text));
  return { told, lines, print };
}

describe('What a program prints', () => {
  it('becomes lines without colours and without secrets', async () => {
    const { told, lines, print } = printed(['open sesame']);
    await print('one\n\u001b[32mtwo\u001b[0m open se');
    await print('same\nthr');
    await lines.end();
    expect(told).toEqual([
      ['stdout', 'one'],
      ['stdout', 'two ••••'],
      ['stdout', 'thr'],
    ]);
  });

  it('is cut where a line is too long', async () => {
    const { told, lines, print } = printed();
    await print('x'.repeat(100_000));
    await lines.end();
    expect(told.map(([, text]) => text.length)).toEqual([2_001]);
  });

  it('is counted where it is more than is kept', async () => {
    const { told, lines, print } = printed();
    await print('x\n'.repeat(10_000));
    await lines.end();
    expect(told.length).toBeLessThan(600);
    expect(told.at(-1)).toEqual([null, expect.stringMatching(/^9\d{3} lines were left out/)]);
  });
});
