import { open } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { isShortage } from './shortage.js';

describe('A shortage of resources', () => {
  it.each(['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM'])('the error %s is a shortage of resources', (code) =>
    expect(isShortage(Object.assign(new Error(code), { code }))).toBe(true),
  );

  it('a permanent error is not a shortage of resources', async () => {
    expect(isShortage(await open('/nowhere').catch((error: unknown) => error))).toBe(false);
    expect(isShortage(new Error('EMFILE'))).toBe(false);
    expect(isShortage(null)).toBe(false);
  });
});
