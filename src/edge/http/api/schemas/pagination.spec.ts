import { describe, expect, it } from '@jest/globals';
import { PageQuery, skipAndTake } from './pagination.js';

describe('A page of a list', () => {
  it.each([
    [{}, { page: 1, limit: 20 }],
    [
      { page: '3', limit: '100' },
      { page: 3, limit: 100 },
    ],
    [
      { page: '1', limit: '1' },
      { page: 1, limit: 1 },
    ],
    [
      { page: '2', sort: 'name' },
      { page: 2, limit: 20 },
    ],
  ])('a page of a list can be requested with %j', (query, page) => expect(PageQuery.parse(query)).toEqual(page));

  it.each([
    { page: '0' },
    { page: '-1' },
    { page: '1.5' },
    { page: 'two' },
    { page: '' },
    { page: ['1', '2'] },
    { page: '1000001' },
    { limit: '0' },
    { limit: '101' },
    { limit: 'all' },
    { limit: 'Infinity' },
  ])('a page of a list is refused for the query %j', (query) => expect(PageQuery.safeParse(query).success).toBe(false));

  it('a page of a list begins after the last item of the previous page', () => {
    expect(skipAndTake({ page: 1, limit: 20 })).toEqual({ skip: 0, take: 20 });
    expect(skipAndTake({ page: 3, limit: 7 })).toEqual({ skip: 14, take: 7 });
  });
});
