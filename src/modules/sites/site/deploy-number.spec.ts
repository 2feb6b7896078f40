import { expect, it } from '@jest/globals';
import { parseDeployNumber } from './deploy-number.js';

it.each([
  ['1', 1],
  ['#12', 12],
  ['999999999', 999_999_999],
  ['0', null],
  ['012', null],
  ['-1', null],
  ['1.5', null],
  ['1234567890', null],
  ['previous', null],
  ['dep_01', null],
  ['', null],
])('parses %j as deploy number %j', (text, number) => expect(parseDeployNumber(text)).toBe(number));
