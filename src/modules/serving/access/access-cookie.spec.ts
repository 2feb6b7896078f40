import { describe, expect, it } from '@jest/globals';
import { AccessCookie } from './access-cookie.js';

describe('AccessCookie', () => {
  const plain = new AccessCookie('http://localhost:3000');
  const secure = new AccessCookie('https://stele.example');

  it('the cookie is valid for a single host and hidden from scripts', () => {
    expect(plain.set('v', 60)).toBe('stele_visitor=v; Max-Age=60; HttpOnly; SameSite=Lax; Path=/');
    expect(secure.set('v', 60)).toBe('__Host-stele_visitor=v; Max-Age=60; HttpOnly; SameSite=Lax; Path=/; Secure');
  });

  it('reads every value of the access cookie, including values set by another site', () => {
    expect(plain.in('a=1; stele_visitor=x; stele_visitor=y=z')).toEqual(['x', 'y=z']);
    expect(secure.in('stele_visitor=x; __Host-stele_visitor=y')).toEqual(['y']);
    expect(plain.in(undefined)).toEqual([]);
    expect(plain.in('stele_visitor=x; '.repeat(500))).toHaveLength(500);
  });
});
