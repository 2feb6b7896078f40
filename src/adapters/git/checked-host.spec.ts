import { describe, expect, it } from '@jest/globals';
import { checkedAddresses } from './checked-host.js';
import { repoUrl } from './repo-url.js';

const ever = new AbortController().signal;
const at =
  (...addresses: string[]) =>
  async () =>
    addresses;
const none = new Set<string>();
const check = (text: string, lookup: () => Promise<readonly string[]>, listed = none) =>
  checkedAddresses(repoUrl(text, listed), lookup, ever);

describe('Looking up the addresses of a host', () => {
  it('public addresses are returned', async () =>
    expect(await check('https://example.org/a', at('93.184.216.34', '2606:4700::1'))).toEqual([
      '93.184.216.34',
      '2606:4700::1',
    ]));

  it.each([[['127.0.0.1']], [['93.184.216.34', '10.0.0.1']], [['2606:4700::1', '::ffff:10.0.0.1']]])(
    'a host with any private address is refused, and the error does not reveal the address: %j',
    async (addresses) => {
      const refusal = check('https://inward.example/a', at(...addresses));
      await expect(refusal).rejects.toMatchObject({
        code: 'repo_not_allowed',
        detail: 'inward.example resolves to an address that is not public.',
      });
    },
  );

  it('an IP address is returned without a lookup', async () => {
    const lookup = () => Promise.reject(new Error('asked'));
    await expect(check('https://127.0.0.1/a', lookup)).rejects.toMatchObject({ code: 'repo_not_allowed' });
    await expect(check('https://[fe80::1]/a', lookup)).rejects.toMatchObject({ code: 'repo_not_allowed' });
    expect(await check('https://1.1.1.1/a', lookup)).toEqual(['1.1.1.1']);
  });

  it('a host that the operator has listed can have private addresses', async () =>
    expect(await check('http://git.intranet/a', at('10.0.0.7'), new Set(['git.intranet:80']))).toEqual(['10.0.0.7']));

  it.each([
    ['the name is unknown', () => Promise.reject(new Error('ENOTFOUND'))],
    ['the name has no addresses', at()],
  ])('no addresses are found when %s', async (_, lookup) =>
    expect(check('https://nowhere.example/a', lookup)).rejects.toMatchObject({ code: 'repo_unreachable' }),
  );

  it('an aborted caller does not wait for the lookup', async () => {
    const left = AbortSignal.abort(new Error('left'));
    const url = repoUrl('https://slow.example/a', none);
    await expect(checkedAddresses(url, () => new Promise(() => undefined), left)).rejects.toThrow('left');
  });
});
