import { expect, it } from '@jest/globals';
import { readTemplates } from './read-templates.js';

it('a folder of templates that does not exist is reported in plain words', () =>
  expect(() => readTemplates('/nope')).toThrow('Could not read the template folder /nope: it does not exist'));
