import { describe, expect, it } from '@jest/globals';
import { VisitorSeals } from './access-cookie-seals.js';

describe('A visitor’s seal', () => {
  const seals = new VisitorSeals(Buffer.alloc(32, 1));
  const sealed = seals.seal('pass', { host: 'a.example', at: 1 });

  it('gives back what was sealed, to every process with the same key', () => {
    expect(seals.open('pass', sealed)).toEqual({ host: 'a.example', at: 1 });
    expect(new VisitorSeals(Buffer.alloc(32, 1)).open('pass', sealed)).toEqual({ host: 'a.example', at: 1 });
  });

  it('serves for nothing else, and under no other key', () => {
    expect(seals.open('ticket', sealed)).toBeNull();
    expect(new VisitorSeals(Buffer.alloc(32, 2)).open('pass', sealed)).toBeNull();
  });

  it('holds for exactly what was sealed', () => {
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
