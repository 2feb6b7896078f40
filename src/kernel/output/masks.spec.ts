import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Masks } from './masks.js';

const masked = (values: string[], text: string) => new Masks(values).in(text);

describe('Masking of secrets in a log', () => {
  it('replaces every secret value with ••••', () => {
    expect(masked(['hunter22'], 'hunter22')).toBe('••••');
    expect(masked(['hunter22'], 'a=hunter22&b=hunter22!')).toBe('a=••••&b=••••!');
    expect(masked(['hunter22', 'opensesame'], 'opensesame hunter22 opensesam')).toBe('•••• •••• opensesam');
  });

  it('leaves text without secrets unchanged', () => {
    expect(masked([], 'hunter22')).toBe('hunter22');
    expect(masked(['hunter22'], 'hunter2')).toBe('hunter2');
    expect(masked(['hunter22'], '')).toBe('');
  });

  it('ignores short values, which are often ordinary words', () => {
    expect(masked(['1', 'true', 'prod', '', '     '], 'true 1 prod')).toBe('true 1 prod');
    expect(masked(['12345'], '12345')).toBe('12345');
    expect(masked(['123456'], '123456')).toBe('••••');
  });

  it('masks each line of a value, without surrounding spaces', () => {
    const key = '-----BEGIN KEY-----\r\n  c2VjcmV0IG9uZQ==  \nc2VjcmV0IHR3bw==\n}\n-----END KEY-----\n';
    expect(masked([key], 'c2VjcmV0IHR3bw==')).toBe('••••');
    expect(masked([key], '> c2VjcmV0IG9uZQ== <')).toBe('> •••• <');
    expect(masked([key], '}')).toBe('}');
  });

  it('masks overlapping values completely', () => {
    expect(masked(['abcdef', 'defghi'], 'xabcdefghix')).toBe('x••••x');
    expect(masked(['abcdef', 'abcdefghi'], 'abcdefghi abcdefg')).toBe('•••• ••••g');
    expect(masked(['abcdef'], 'abcdefabcdef')).toBe('••••••••');
    expect(masked(['aaaaaa'], 'aaaaaaaaa')).toBe('••••');
  });

  it('masks values encoded as JSON, URL or base64', () => {
    const value = 'p"ss\\wörd\n& more of it';
    expect(masked([value], JSON.stringify({ value }))).toBe('{"value":"••••"}');
    expect(masked([value], `https://a/?q=${encodeURIComponent('& more of it')}`)).toBe('https://a/?q=••••');
    expect(masked([value], `Basic ${Buffer.from(value).toString('base64')}`)).toMatch(/^Basic ••••=*$/);
  });

  it('masks values at any offset within base64', () => {
    const value = 'open??sesame>>7Jx2';
    for (let before = 0; before < 6; before++) {
      const text = Buffer.from(`${'u'.repeat(before)}${value}:more`);
      for (const encoding of ['base64', 'base64url'] as const)
        expect([before, masked([value], text.toString(encoding))]).toEqual([
          before,
          expect.stringMatching(/^[\w+/-]{0,10}••••[\w+/=-]{1,10}$/),
        ]);
    }
  });

  it('masks long values in every line of base64', () => {
    const value = randomBytes(200).toString('latin1').toWellFormed();
    for (const columns of [76, 64]) {
      const lines =
        Buffer.from(value)
          .toString('base64')
          .match(new RegExp(`.{1,${columns}}`, 'g')) ?? [];
      for (const line of lines.slice(0, -1)) expect(masked([value], line)).toBe('••••');
    }
  });

  it('masks values in the encoding of a submitted form', () =>
    expect(masked(['a b & c!'], new URLSearchParams({ q: 'a b & c!' }).toString())).toBe('q=••••'));

  it('masks values that are interrupted by colours, and keeps the colours', () => {
    const red = '\u001b[31m';
    const plain = '\u001b[0m';
    expect(masked(['hunter22'], `${red}hun${plain}ter22${plain} and ${red}more`)).toBe(
      `${red}••••${plain}${plain} and ${red}more`,
    );
    expect(masked(['hunter22'], [...'hunter22'].join(red))).toBe(`••••${red.repeat(7)}`);
    expect(masked(['hunter22'], `${red}fine${plain}`)).toBe(`${red}fine${plain}`);
    expect(masked(['hunter22'], `hunter22\u001b[`)).toBe('••••\u001b[');
  });

  it('treats values as literal strings, not as patterns', () =>
    expect(masked(['.*+?^()|[]\\'], 'a .*+?^()|[]\\ b abcdefghijklmn')).toBe('a •••• b abcdefghijklmn'));

  it('takes a limited time, whatever the values are', () => {
    const same = Array.from(
      { length: 50 },
      (_, n) => `${'a'.repeat(20_000)}\n`.repeat(1) + `aaaaaa${n}${'b'.repeat(100)}\n`.repeat(100),
    );
    const nested = Array.from({ length: 250 }, (_, n) => `${'a'.repeat(6 + n)}c`).join('\n');
    const random = Array.from({ length: 40 }, () =>
      randomBytes(12_000)
        .toString('hex')
        .replace(/(.{16})/g, '$1\n'),
    );
    const masks = new Masks([...same, nested, ...random]);
    const started = process.cpuUsage();
    for (let n = 0; n < 20; n++) masks.in(`${'a'.repeat(16_384)}d`);
    for (let n = 0; n < 20; n++) masks.in(randomBytes(8_192).toString('hex'));
    for (let n = 0; n < 20; n++) masks.in('a\u001b[1m'.repeat(13_000));
    // Measure CPU time (in microseconds), because the machine may be busy.
    expect(process.cpuUsage(started).user).toBeLessThan(5_000_000);
    expect(masks.in(`x${random[7]?.split('\n')[3]}x`)).toBe('x••••x');
  });

  it('masks each value completely, even if many values start with the same characters', () => {
    const alike = Array.from({ length: 40 }, (_, n) => `prefix-${n}-${'x'.repeat(n)}`);
    expect(masked(alike, `see ${alike[39]}`)).toBe('see ••••');
    expect(masked(alike, `see ${alike[3]}`)).toBe('see ••••');
  });
});
