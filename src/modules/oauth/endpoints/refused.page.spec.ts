import { describe, expect, it } from '@jest/globals';
import { refusedPage } from './refused.page.js';

const page = (error: string) =>
  refusedPage(`https://app.example/callback?error=${error}&error_description=client+is+invalid&state=1`);

describe('The page for a rejected authorization request', () => {
  it.each([
    ['invalid_target', 'The app asked for access to a different service.'],
    ['an_unknown_error', 'The app’s request is invalid.'],
  ])('explains the error %s in our own words', (error, words) => {
    const [shown = ''] = page(error).split('The app was not given access');
    expect(shown).toContain(words);
    expect(shown).toContain(`<code>${error}</code>`);
    expect(shown).not.toContain('client is invalid');
  });

  it('passes the description on to the app', () =>
    expect(page('invalid_target')).toContain('error_description=client+is+invalid'));
});
