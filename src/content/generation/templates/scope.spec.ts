import { describe, expect, it } from '@jest/globals';
import { Values } from './scope.js';

describe('A name in a placeholder', () => {
  const values = new Values({ value: { links: [{ url: '/a' }, { url: '/b' }] }, path: 'parameters' });

  it('a name resolves to a value and its location in the request', () => {
    const [, second] = values.each('link', 'links');
    expect(second?.at('link.url')).toEqual({ value: '/b', path: 'parameters.links[1].url' });
    expect(second?.at('link_index').value).toBe(2);
  });

  it.each(['constructor', 'toString', 'hasOwnProperty'])(
    'a name does not refer to inherited properties (%s)',
    (name) => {
      expect(values.has(name)).toBe(false);
      expect(values.at(`links.${name}`).value).toBeUndefined();
    },
  );
});
