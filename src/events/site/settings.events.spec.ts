import { describe, expect, it } from '@jest/globals';
import { catalogue } from '../catalogue.js';

describe('Site settings events', () => {
  it.each([
    ['SiteAccessSet', { visibility: 'password', passwordId: 'pwd_1', password: 'swordfish' }, /password/],
    ['ConnectorTokenIssued', { tokenId: 'ctk_1', name: 'x', token: 'swordfish' }, /token/],
    ['SecretSet', { name: 'API_KEY', version: 1, value: 'swordfish' }, /value/],
  ])('events of the type %s do not contain the value of a secret', (type, data, named) =>
    expect(() => catalogue.write(type, data)).toThrow(named),
  );
});
