import { describe, expect, it } from '@jest/globals';
import { createProgram } from './program.js';
import type { GlobalOptions, Session } from './session.js';

const start = (_: GlobalOptions, name: string): Session => {
  throw new Error(`${name} was run`);
};

/** Parses arguments, and returns the message of the error. */
async function parse(...words: string[]): Promise<string> {
  const error: Error = await createProgram(start, true)
    .parseAsync(words, { from: 'user' })
    .catch((reason) => reason);
  return error.message;
}

describe('Unknown commands', () => {
  it.each([
    ['init', 'deploy'],
    ['publish', 'deploy'],
    ['dev', 'deploy --draft'],
    ['build', 'repo'],
    ['undo', 'rollback'],
    ['revert', 'rollback'],
    ['promote', 'rollback'],
    ['status', 'deploys'],
    ['inspect', 'deploys'],
    ['list', 'sites'],
    ['ls', 'sites'],
    ['env', 'secrets'],
    ['env:set', 'secrets set'],
    ['auth login', 'login'],
    ['signin', 'login'],
    ['team', 'members'],
    ['users', 'members'],
    ['remove', 'delete'],
    ['rm', 'delete'],
    ['destroy', 'delete'],
    ['certs', 'domains'],
    ['domains ls', 'domains list'],
    ['domains rm', 'domains remove'],
    ['domains delete', 'domains remove'],
    ['tokens rm', 'tokens delete'],
    ['tokens remove', 'tokens delete'],
    ['tokens add', 'tokens create'],
    ['publishers create', 'publishers add'],
    ['secrets add', 'secrets set'],
  ])('stele %s, which other tools have, suggests stele %s', async (words, suggested) => {
    expect(await parse(...words.split(' '))).toContain(`”. Did you mean “stele ${suggested}”?`);
  });

  it('suggests similar commands after a typo', async () => {
    expect(await parse('deplyo')).toBe('Unknown command “deplyo”. Did you mean “stele deploy”?');
    expect(await parse('domains', 'chekc')).toBe('Unknown command “chekc”. Did you mean “stele domains check”?');
    expect(await parse('logn')).toBe('Unknown command “logn”. Did you mean “stele login” or “stele logs”?');
  });

  it('suggests nothing for other words', async () => {
    expect(await parse('toString')).toBe('Unknown command “toString”.');
  });
});

describe('Invalid options', () => {
  it('the error names the option and says what is wrong with its value', async () => {
    expect(await parse('deploys', '--limit', 'x')).toBe(
      '“x” is not a valid value of --limit. It must be a positive whole number.',
    );
    expect(await parse('deploys', '--limit')).toBe('--limit needs a value.');
  });
});
