import { describe, expect, it } from '@jest/globals';
import { groupWarnings } from './deploy-repository.js';

describe('groupWarnings', () => {
  it('merges warnings about several files into one line that gives the number of files', () => {
    const many = Array.from({ length: 20 }, (_, n) => ({ file: `${n}.html`, line: 3, message: 'x' }));
    expect(groupWarnings([...many, { file: 'a.html', message: 'y' }])).toEqual([
      '0.html:3 and 19 others: x',
      'a.html: y',
    ]);
  });
});
