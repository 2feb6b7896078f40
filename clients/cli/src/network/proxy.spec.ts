import { describe, expect, it } from '@jest/globals';
import { assertProxyIsSupported } from './proxy.js';

const HTTPS = 'https://stele.example.org';
const HTTP = 'http://stele.example.org:3000';
const proxy = 'http://proxy:3128';

describe('assertProxyIsSupported', () => {
  it.each([
    ['HTTPS_PROXY', '22.20.0', HTTPS, { HTTPS_PROXY: proxy }],
    ['https_proxy', '23.11.0', HTTPS, { https_proxy: proxy }],
    ['HTTP_PROXY', '22.12.0', HTTP, { HTTP_PROXY: proxy, NO_PROXY: 'other.example.org' }],
    ['HTTP_PROXY', '22.12.0', HTTPS, { HTTP_PROXY: proxy }],
    ['HTTP_PROXY', '22.12.0', HTTP, { HTTP_PROXY: proxy, NO_PROXY: 'stele.example.org:80' }],
  ])('refuses %s on Node %s for %s', (name, version, url, environment) => {
    expect(() => assertProxyIsSupported(url, environment, version)).toThrow(
      `The proxy in ${name} needs Node 22.21+ or 24+, but this is Node ${version}.`,
    );
  });

  it.each([
    ['Node 22.21', '22.21.0', HTTPS, { HTTPS_PROXY: proxy }],
    ['Node 24', '24.0.0', HTTPS, { HTTPS_PROXY: proxy }],
    ['no proxy', '22.20.0', HTTPS, { HTTPS_PROXY: '' }],
    ['a proxy for https and an instance with http', '22.20.0', HTTP, { HTTPS_PROXY: proxy }],
    ['a host in NO_PROXY', '22.20.0', HTTP, { HTTP_PROXY: proxy, NO_PROXY: 'localhost, stele.example.org' }],
    ['a domain in no_proxy', '22.20.0', HTTP, { HTTP_PROXY: proxy, no_proxy: '.example.org' }],
    ['a host and its port in NO_PROXY', '22.20.0', HTTP, { HTTP_PROXY: proxy, NO_PROXY: 'stele.example.org:3000' }],
    ['all hosts in NO_PROXY', '22.20.0', HTTP, { HTTP_PROXY: proxy, NO_PROXY: '*' }],
  ])('accepts %s', (_, version, url, environment) => {
    expect(() => assertProxyIsSupported(url, environment, version)).not.toThrow();
  });
});
