import { describe, expect, it } from '@jest/globals';
import { AccessSeals } from './access-cookie-seals.js';

describe('AccessSeals', () => {
  const seals = new AccessSeals(Buffer.alloc(32, 1));
  const sealed = seals.seal('pass', { host: 'a.example', at: 1 });

  it('opens a value sealed by another process with the same key', () => {
    expect(seals.open('pass', sealed)).toEqual({ host: 'a.example', at: 1 });
    expect(new AccessSeals(Buffer.alloc(32, 1)).open('pass', sealed)).toEqual({ host: 'a.example', at: 1 });
  });

  it('refuses a value that was sealed for another purpose or with another key', () => {
    expect(seals.open('ticket', sealed)).toBeNull();
    expect(new AccessSeals(Buffer.alloc(32, 2)).open('pass', sealed)).toBeNull();
  });

  it('refuses a sealed value that was tampered with', () => {
    const [, seal] = sealed.split('.');
    const other = Buffer.from('{"host":"b.example","at":1}').toString('base64url');
    for (const forged of [`${other}.${seal}`, sealed.slice(0, -1), `${sealed}A`, `.${seal}`, '', '.', 'x'.repeat(9000)])
      expect(seals.open('pass', forged)).toBeNull();
    expect(
      seals.open(
        'pass',
        sealed.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A')),
      ),
    ).toBeNull();
  });
});
