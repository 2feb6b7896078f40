import { describe, expect, it } from '@jest/globals';
import { egressConfig } from './egress-hosts.js';

describe('The hosts that a server can connect to', () => {
  it.each(['api.example.com', 'a.b', 'x1.example.co.uk', 'xn--bcher-kva.example'])(
    'the allowed hosts can include %s',
    (host) => expect(egressConfig.safeParse({ hosts: [host] }).success).toBe(true),
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
  ])('the allowed hosts can’t include %j', (host) =>
    expect(egressConfig.safeParse({ hosts: [host] }).success).toBe(false),
  );

  it('no more than twenty hosts can be allowed', () =>
    expect(egressConfig.safeParse({ hosts: Array.from({ length: 21 }, (_, n) => `h${n}.example`) }).success).toBe(
      false,
    ));
});
