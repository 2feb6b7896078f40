import { open } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { isShortage } from './shortage.js';

describe('A shortage of resources', () => {
  it.each(['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM'])('includes %s', (code) =>
    expect(isShortage(Object.assign(new Error(code), { code }))).toBe(true),
  );

  it('does not include permanent errors', async () => {
    expect(isShortage(await open('/nowhere').catch((error: unknown) => error))).toBe(false);
    expect(isShortage(new Error('EMFILE'))).toBe(false);
    expect(isShortage(null)).toBe(false);
  });
});
