import { describe, expect, it } from '@jest/globals';
import { testTemplate } from '../../../../test/support/model/pages.js';
import { Template } from '../templates/template.js';
import { buildPrompt } from './build-prompt.js';

const template = (title: string) => {
  const json = JSON.parse(testTemplate['template.json']);
  return Template.read(
    't',
    JSON.stringify({ ...json, example: { ...json.example, title } }),
    testTemplate['page.html'],
  );
};

describe('The prompt for a model', () => {
  const wish = { prompt: 'A page about bees', title: null, base: null };

  it('contains nothing about the user except what they wrote', () =>
    expect(buildPrompt(wish, []).request).toBe('A page about bees'));

  it('contains the title and the page to be changed', () => {
    const { request } = buildPrompt({ ...wish, title: 'Bees', base: '<!doctype html>…' }, []);
    expect(request).toContain('<!doctype html>…');
    expect(request).toContain('The title of the page: Bees');
  });

  it('contains up to three example pages, shortest first', () => {
    const { rules } = buildPrompt(
      wish,
      ['a', 'bb', 'ccc', 'dddd'].map((title) => template(`T ${title}`)),
    );
    expect(rules).toContain('<h1>T a</h1>');
    expect(rules).toContain('<h1>T ccc</h1>');
    expect(rules).not.toContain('T dddd');
  });
});
