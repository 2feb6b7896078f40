import { describe, expect, it } from '@jest/globals';
import { EventStoreAddressError, kurrentAddress } from './kurrent.address.js';

describe('The address of an event store', () => {
  it.each([
    ['esdb://stele:secret@db:2113', 'esdb://stele:secret@db:2113', 'db:2113'],
    ['kurrentdb://stele:secret@db', 'esdb://stele:secret@db', 'db'],
    ['kurrentdb+discover://stele:secret@a.example/', 'esdb+discover://stele:secret@a.example', 'a.example'],
    [
      'esdb://stele:secret@a:1,b:2?nodePreference=leader',
      'esdb://stele:secret@a:1,b:2?nodePreference=leader',
      'a:1,b:2',
    ],
    ['esdb://db?tls=false', 'esdb://db?tls=false', 'db'],
    ['esdb://db?streamPrefix=a-&tls=false', 'esdb://db?tls=false', 'db (streams a-…)'],
    ['esdb://stele:secret@db?streamPrefix=a-', 'esdb://stele:secret@db', 'db (streams a-…)'],
  ])('the address %s is passed to the client as %s', (text, url, location) =>
    expect(kurrentAddress(text)).toMatchObject({ url, location }),
  );

  it('several hosts after +discover are refused, and the error says how to list the nodes of a cluster', () =>
    expect(() => kurrentAddress('esdb+discover://a,b?tls=false')).toThrow('List several nodes as esdb://'));

  it('the user name and the password are URL-decoded', () =>
    expect(kurrentAddress('kurrentdb://a%40b:p%3Ass@db').credentials).toEqual({ username: 'a@b', password: 'p:ss' }));

  it('the prefix of the service’s stream names is read from the address', () => {
    expect(kurrentAddress('esdb://db?tls=false&streamPrefix=staging-').streamPrefix).toBe('staging-');
    expect(kurrentAddress('esdb://db?tls=false').streamPrefix).toBe('');
  });

  it.each([
    'esdb://db?tls=false&streamPrefix=',
    'esdb://db?tls=false&streamPrefix=$all',
    'esdb://db?tls=false&streamPrefix=%24ce',
    'esdb://db?tls=false&streamPrefix=a/b',
    'http://db',
    'esdb://',
    'esdb://db',
    'esdb://stele@db',
    'esdb://a b@db?tls=false',
    'esdb://stele:%zz@db',
    'esdb://stele:hunter2@db:port',
    'esdb+discover://stele:hunter2@a:2113,b:2113',
    'kurrentdb+discover://a,b,c?tls=false',
  ])('the address %s is refused, and the error message does not repeat it', (text) => {
    expect(() => kurrentAddress(text)).toThrow(EventStoreAddressError);
    expect(() => kurrentAddress(text)).not.toThrow(/hunter2/);
  });
});
