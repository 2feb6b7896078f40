import { describe, expect, it } from '@jest/globals';
import { egressConfig } from './egress-hosts.js';

describe('A host that a program may reach', () => {
  it.each(['api.example.com', 'a.b', 'x1.example.co.uk', 'xn--bcher-kva.example'])('%s is named so', (host) =>
    expect(egressConfig.safeParse({ hosts: [host] }).success).toBe(true),
  );

  it.each([
    '*.example.com',
    'example',
    'localhost',
    '127.0.0.1',
    '169.254.169.254',
    '[::1]',
    'a.example:443',
    'A.example',
    'a..b',
    '-a.example',
    'a.example.',
    'https://a.example',
    'a.b\n',
  ])('%j is none', (host) => expect(egressConfig.safeParse({ hosts: [host] }).success).toBe(false));

  it('is one of twenty at most', () =>
    expect(egressConfig.safeParse({ hosts: Array.from({ length: 21 }, (_, n) => `h${n}.example`) }).success).toBe(
      false,
    ));
});
