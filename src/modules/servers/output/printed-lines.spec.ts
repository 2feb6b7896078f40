import { describe, expect, it, jest } from '@jest/globals';
import { Masks } from '../../../kernel/output/masks.js';
import { PrintedLines } from './printed-lines.js';

function printed(secrets: readonly string[] = []) {
  const told: (readonly [string | null, string])[] = [];
  const lines = new PrintedLines(new Masks(secrets), (stream, text) => told.push([stream, text]));
  const print = (text: string) => lines.print('stdout', Buffer.from(text));
  return { told, lines, print };
}

describe('PrintedLines', () => {
  it('splits output into lines, removes colours and masks secrets', async () => {
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

  it('truncates lines that are too long', async () => {
    const { told, lines, print } = printed();
    await print('x'.repeat(100_000));
    await lines.end();
    expect(told.map(([, text]) => text.length)).toEqual([2_001]);
  });

  it('counts lines beyond the rate limit instead of keeping them', async () => {
    const { told, lines, print } = printed();
    const now = performance.now();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(now);
    await print('x\n'.repeat(10_000));
    await lines.end();
    expect(told).toHaveLength(501);
    expect(told.at(-1)).toEqual([
      null,
      'Discarded 9,500 lines: the server printed output faster than it can be logged.',
    ]);

    clock.mockReturnValue(now + 1_000);
    await print('x\n'.repeat(100));
    await lines.end();
    expect(told.slice(501)).toHaveLength(21);
    expect(told.at(-1)).toEqual([null, 'Discarded 80 lines: the server printed output faster than it can be logged.']);
    clock.mockRestore();
  });
});
