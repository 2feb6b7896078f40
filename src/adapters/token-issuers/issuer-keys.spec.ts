import { describe, expect, it } from '@jest/globals';
import { IssuerKeys } from './issuer-keys.js';

describe('An issuer whose keys cannot be fetched', () => {
  it.each([
    [
      'that does not respond is contacted again after five seconds, as our response says',
      () => Promise.reject(new Error('away')),
      5,
    ],
    ['that must not be contacted is checked again after half a minute', async () => [], 30],
  ])('an issuer %s', async (_, lookup: () => Promise<readonly string[]>, seconds) => {
    let asked = 0;
    let now = 1_000_000;
    const counted = () => {
      asked++;
      return lookup();
    };
    const keys = new IssuerKeys({ lookup: counted, listed: new Set() }, () => now);
    const ask = () => expect(keys.of('https://issuer.example')).rejects.toThrow();
    await ask();
    now += seconds * 1_000 - 1;
    await ask();
    expect(asked).toBe(1);
    now += 1;
    await ask();
    expect(asked).toBe(2);
  });
});
