import { describe, expect, it } from '@jest/globals';
import { checkCommandVersion } from './command-version.js';

function check(client: string | undefined) {
  const sent: Record<string, unknown> = {};
  const reply = { header: (name: string, value: unknown) => Object.assign(sent, { [name]: value }) as never };
  const headers = client === undefined ? {} : { 'stele-client': client };
  checkCommandVersion({ headers }, reply, 'http://stele.example', { oldest: '1.2.0', newest: '1.10.0' });
  return sent;
}

describe('checkCommandVersion', () => {
  it('the response tells an older CLI which version the instance offers', () => {
    expect(check('stele-cli/1.2.0')).toEqual({ 'stele-cli-version': '1.10.0' });
    expect(check('stele-cli/1.9.3; agent=helper')).toEqual({ 'stele-cli-version': '1.10.0' });
  });

  it.each(['stele-cli/1.10.0', 'stele-cli/2.0.0', 'other/0.0.1', 'stele-cli/next', undefined])(
    'the response contains no version for the client %s',
    (client) => expect(check(client)).toEqual({}),
  );

  it('a CLI that is too old is refused', () => {
    expect(() => check('stele-cli/1.1.9')).toThrow('client_outdated: This instance requires version 1.2.0 or later');
  });
});
