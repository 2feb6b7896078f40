import { describe, expect, it } from '@jest/globals';
import { createProgram } from '../command-line/program.js';
import { complete } from './complete.js';
import { SCRIPTS } from './scripts.js';

const program = createProgram(() => {
  throw new Error('No command is run.');
}, true);

const completeWords = (words: readonly string[], sites: readonly string[] = []) =>
  complete(program, words.map((word) => `${word}\0`).join(''), sites);
const valuesOf = (...parameters: Parameters<typeof completeWords>) =>
  completeWords(...parameters).map(([value]) => value);

describe('complete', () => {
  it('completes commands and subcommands', () => {
    expect(valuesOf([''])).toEqual(expect.arrayContaining(['deploy', 'domains', 'completions', 'help']));
    expect(valuesOf([''])).not.toContain('complete');
    expect(valuesOf(['dep'])).toEqual(['deploy', 'deploys']);
    expect(valuesOf(['domains', ''])).toEqual(['list', 'add', 'check', 'remove', 'help']);
    expect(valuesOf(['help', 'roll'])).toEqual(['rollback']);
    expect(valuesOf(['domains', 'help', 'ch'])).toEqual(['check']);
    expect(valuesOf(['deploy', 'dom'])).toEqual([':files']);
    expect(valuesOf(['nonsense', 'dep'])).toEqual([]);
  });

  it('completes the options of a command and those of all commands', () => {
    expect(valuesOf(['deploy', '--d'])).toEqual(['--draft', '--dry-run']);
    expect(valuesOf(['domains', 'add', '--'])).toEqual(
      expect.arrayContaining(['--redirect-to', '--site', '--help', '--instance', '--json']),
    );
    expect(valuesOf(['--j'])).toEqual(['--json']);
    expect(valuesOf(['deploy', '--', '--d'])).toEqual([':files']);
  });

  it('completes values and names of sites', () => {
    expect(valuesOf(['tokens', 'create', 'name', '--role', ''])).toEqual(['editor', 'viewer']);
    expect(valuesOf(['tokens', 'create', '--role=v'])).toEqual(['--role=viewer']);
    expect(valuesOf(['completions', 'p'])).toEqual(['powershell']);
    expect(valuesOf(['open', 'a'], ['a-site', 'b-site'])).toEqual(['a-site']);
    expect(valuesOf(['deploy', '--site', ''], ['a-site', 'b-site'])).toEqual(['a-site', 'b-site']);
    expect(valuesOf(['deploy', '--message', ''], ['a-site'])).toEqual([]);
  });

  it.each([[['deploy', '']], [['import', 'x']], [['--ca', '']], [['download', '--output', 'x']]])(
    'asks the shell for file names after %j',
    (words) => {
      expect(valuesOf(words)).toEqual([':files']);
    },
  );

  it('skips the values of options', () => {
    expect(valuesOf(['--instance', 'https://a.example', '--token', 'deploy', 'rollb'])).toEqual(['rollback']);
    expect(valuesOf(['--instance=https://a.example', 'rollb'])).toEqual(['rollback']);
    expect(valuesOf(['deploy', '-m', ''], ['a-site'])).toEqual([]);
  });

  it('joins the words that bash splits at colons and equals signs', () => {
    expect(valuesOf(['--instance', '=', 'http', ':', '//a', ':', '80', 'rollb'])).toEqual(['rollback']);
    expect(valuesOf(['tokens', 'create', '--role', '=', 'e'])).toEqual(['editor']);
  });

  it('never returns a name that a shell could evaluate, or that has several lines', () => {
    const hostile = ['a;b', 'a$(b)', 'a`b`', 'a b', "a'", 'a"', 'a\nb', 'a\tb', 'a\u001b[31m', '../a', 'a*', '~', ''];
    expect(valuesOf(['open', ''], hostile)).toEqual([]);
  });

  it('returns a one-line description for each value', () => {
    for (const words of [[''], ['domains', ''], ['deploy', '--'], ['deploy', ''], ['tokens', 'create', '--role', '']])
      for (const [, description] of completeWords(words)) expect(description).toMatch(/^[^\t\n]+$/);
  });

  it('is not slowed down by long words', () => {
    expect(valuesOf(['deploy', '--message', '='.repeat(1_000_000), '--dry'])).toEqual(['--dry-run']);
  });
});

describe.each(Object.entries(SCRIPTS))('the completion script for %s', (_, script) => {
  it('does not evaluate text', () => {
    expect(script).toContain('stele complete');
    expect(script).not.toMatch(/\beval\b|Invoke-Expression|compgen/);
  });
});
