import { expect, it } from '@jest/globals';
import { referrerHost } from './referrer-host.js';

it.each([
  ['https://news.example/a?token=secret', 'news.example'],
  ['HTTP://News.Example:8080', 'news.example'],
  ['https://ann:secret@news.example/', 'news.example'],
  ['https://news.example.', 'news.example'],
  ['https://news.example?x=/a@b', 'news.example'],
  ['https://[::1]:3000/', '[::1]'],
  ['https://xn--caf-dma.example/', 'xn--caf-dma.example'],
])('The referrer %s is recorded as %s', (referer, host) => {
  expect(referrerHost(referer)).toBe(host);
});

it.each([
  '',
  'about:blank',
  'android-app://com.example/',
  '/a',
  'https://',
  'https://a b/',
  'https://caf\u00e9.example/',
  `https://${'x'.repeat(254)}/`,
  'https://a\0b/',
  'javascript:alert(1)',
  'https://%0d%0a/',
])('The referrer %j is not recorded', (referer) => {
  expect(referrerHost(referer)).toBeNull();
});
