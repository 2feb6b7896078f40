import { execFileSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { quote } from './quote.js';

it.each(['../my site', "it's", '$(touch x)', 'a;b', '*', '--option=`x`', 'é'])('a shell reads %s unchanged', (word) => {
  expect(execFileSync('sh', ['-c', `printf %s ${quote(word)}`], { encoding: 'utf8' })).toBe(word);
});

it('does not quote a word that needs no quotation marks', () => {
  expect(quote('../dist/index.html')).toBe('../dist/index.html');
});
