import { describe, expect, it } from '@jest/globals';
import { chooseCredential } from './choose-credential.js';
import { chooseInstance, parseInstance } from './choose-instance.js';
import type { Credentials } from './credentials-file.js';

const A = 'https://a.example';
const B = 'https://b.example';
const credentials: Credentials = {
  version: 1,
  current: A,
  instances: {
    [A]: { token: 'stele_session_a', editTokens: { page: 'stele_edit_a' } },
    [B]: {},
  },
};

describe('chooseInstance', () => {
  const link = { instance: B };

  it('prefers the flag, then the environment variable, then stele.json, then the credentials file', () => {
    const environment = { STELE_INSTANCE: 'https://c.example' };
    expect(chooseInstance('d.example', environment, link, credentials)).toEqual({
      url: 'https://d.example',
      source: 'flag',
    });
    expect(chooseInstance(undefined, environment, link, credentials)).toMatchObject({ source: 'variable' });
    expect(chooseInstance(undefined, {}, link, credentials)).toEqual({ url: B, source: 'stele.json' });
    expect(chooseInstance(undefined, {}, null, credentials)).toEqual({ url: A, source: 'credentials' });
  });

  it('fails if no instance is configured', () => {
    expect(() => chooseInstance(undefined, {}, null, { version: 1, instances: {} })).toThrow(
      'No Stele instance was named',
    );
  });
});

describe('parseInstance', () => {
  it.each([
    ['stele.example.org', 'https://stele.example.org'],
    ['https://stele.example.org/console/?a#b', 'https://stele.example.org'],
    ['localhost:3000', 'http://localhost:3000'],
    ['127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['[::1]:3000', 'http://[::1]:3000'],
    ['localhost.example.org', 'https://localhost.example.org'],
  ])('completes the instance address %s', (text, url) => {
    expect(parseInstance(text)).toBe(url);
  });

  it.each(['ftp://a.example', 'a b', 'https://'])('refuses the instance address %s', (text) => {
    expect(() => parseInstance(text)).toThrow('is not the address of an instance');
  });
});

describe('chooseCredential', () => {
  const at = (url: string, source: 'flag' | 'stele.json' = 'flag') => ({ url, source });
  const choose = (instance: ReturnType<typeof at>, wanted: Partial<Parameters<typeof chooseCredential>[1]> = {}) =>
    chooseCredential(instance, { flag: undefined, environment: {}, credentials, ...wanted });

  it('sends stored credentials only to the instance they belong to', () => {
    expect(choose(at(A))).toEqual({ credential: { kind: 'bearer', token: 'stele_session_a' }, source: 'session' });
    expect(choose(at(B))).toEqual({ credential: undefined, source: 'none' });
    expect(choose(at('https://c.example'), { site: 'page' })).toEqual({ credential: undefined, source: 'none' });
  });

  it('prefers the stored edit token of a site to the session token', () => {
    expect(choose(at(A), { site: 'page' })).toEqual({
      credential: { kind: 'edit', token: 'stele_edit_a' },
      source: 'edit token',
    });
    expect(choose(at(A), { site: 'other' })).toMatchObject({ source: 'session' });
  });

  it('prefers a token from a flag or an environment variable to stored credentials', () => {
    expect(choose(at(A), { flag: 'stele_pat_f' })).toMatchObject({
      source: 'flag',
      credential: { token: 'stele_pat_f' },
    });
    expect(choose(at(A), { environment: { STELE_TOKEN: 'stele_edit_v' } })).toEqual({
      credential: { kind: 'edit', token: 'stele_edit_v' },
      source: 'variable',
    });
  });

  it('does not send a token from an environment variable to an instance that only stele.json names', () => {
    const environment = { STELE_TOKEN: 'stele_pat_v' };
    expect(() => choose(at('https://evil.example', 'stele.json'), { environment })).toThrow('was not sent');
    expect(choose(at(A, 'stele.json'), { environment })).toMatchObject({ source: 'variable' });
  });

  it('does not use a user’s credentials for an anonymous deploy', () => {
    const environment = { STELE_TOKEN: 'stele_pat_v' };
    expect(choose(at(A), { anonymous: true, environment })).toMatchObject({ source: 'none' });
    expect(choose(at(A), { anonymous: true, site: 'page' })).toMatchObject({ source: 'edit token' });
  });
});
