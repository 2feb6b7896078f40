import { expect, it } from '@jest/globals';
import { ClientClassifier } from './client-classifier.js';

const programs = new ClientClassifier();

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';

it('Browsers are identified by name, system and kind of device, without a version', () => {
  expect(programs.of(FIREFOX)).toEqual({ kind: 'person', browser: 'Firefox', system: 'Linux', device: 'desktop' });
  expect(programs.of(SAFARI)).toEqual({ kind: 'person', browser: 'Safari', system: 'iOS', device: 'mobile' });
  expect(programs.of(SAFARI)).toBe(programs.of(SAFARI));
});

it.each([
  '',
  ' ',
  'Googlebot/2.1 (+http://www.google.com/bot.html)',
  'curl/8.5.0',
  'python-requests/2.31',
  'GPTBot/1.2',
])('The user agent %j is classified as a robot', (userAgent) => {
  expect(programs.of(userAgent)).toEqual({ kind: 'robot', browser: null, system: null, device: null });
});

it('Probes of the service are recognized by the start of their user agent', () => {
  expect(programs.of('Stele-Probe/1').kind).toBe('probe');
  expect(programs.of('Mozilla/5.0 Stele-Probe/1').kind).not.toBe('probe');
});

it('Arbitrary user agents can be parsed, and the resulting names are safe to store', () => {
  const strange = [
    '\u00ff'.repeat(512),
    '('.repeat(512),
    'Mozilla/5.0 ('.repeat(39),
    'a/'.repeat(256),
    '__proto__',
    'x\u001b[31m',
  ];
  for (const userAgent of strange) {
    const { browser, system, device } = programs.of(userAgent);
    for (const name of [browser, system, device]) expect(name ?? '').not.toMatch(/\p{Cc}/u);
  }
});
