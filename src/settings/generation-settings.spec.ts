import { describe, expect, it } from '@jest/globals';
import { readSettings } from './settings.js';

const faultOf = (environment: Record<string, string>): string => {
  try {
    readSettings(environment);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
};

describe('The settings for a language model', () => {
  it('the settings of a language model are an endpoint and a model name, with an optional key', () => {
    const model = { LLM_BASE_URL: 'http://localhost:11434/v1/', LLM_MODEL: 'llama3.2' };
    const known = { baseUrl: 'http://localhost:11434/v1', model: 'llama3.2', silenceMs: 60_000, answerMs: 300_000 };
    expect(readSettings(model).generation.model).toEqual({ ...known, apiKey: null });
    expect(readSettings({ ...model, LLM_API_KEY: 'k' }).generation.model).toEqual({ ...known, apiKey: 'k' });
  });

  it.each([{ LLM_BASE_URL: 'http://localhost:11434/v1' }, { LLM_MODEL: 'x' }, { LLM_API_KEY: 'k' }])(
    'the settings of a language model are rejected if they contain only %j',
    (part) => expect(faultOf(part)).toContain('LLM_BASE_URL and LLM_MODEL must be set together.'),
  );

  it('the error about an invalid key of a language model does not show the key', () =>
    expect(faultOf({ LLM_API_KEY: 'hunter two' })).toBe(
      'LLM_API_KEY must be a key of 1 to 2000 ASCII characters without spaces.',
    ));
});

describe('The settings for page generation', () => {
  it('the settings for page generation are read from the environment', () =>
    expect(
      readSettings({
        STELE_GENERATE_PER_DAY: '5',
        STELE_GENERATE_PER_DAY_IN_ALL: '7',
        STELE_GENERATE_SCRIPT_HOSTS: 'CDN.example, unpkg.com',
        STELE_TEMPLATES: '/srv/templates',
      }).generation,
    ).toMatchObject({
      perDay: 5,
      perDayInAll: 7,
      scriptHosts: new Set(['cdn.example', 'unpkg.com']),
      templates: '/srv/templates',
    }));

  it.each([
    ['LLM_BASE_URL', 'ftp://x'],
    ['STELE_GENERATE_PER_DAY', '0'],
    ['STELE_GENERATE_PER_DAY_IN_ALL', 'many'],
    ['STELE_GENERATE_SILENCE', '0'],
    ['STELE_GENERATE_SECONDS', '4000'],
    ['STELE_GENERATE_SCRIPT_HOSTS', 'https://cdn.example'],
  ])('reject the setting %s=%s', (name, value) =>
    expect(faultOf({ [name]: value })).toMatch(new RegExp(`^${name} must be .`)),
  );
});
