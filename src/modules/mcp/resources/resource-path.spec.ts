import { describe, expect, it } from '@jest/globals';
import { resourcePath } from './resource-path.js';

describe('The path of a resource URI', () => {
  it.each([
    ['stele://amber-otter/files', '/v1/sites/amber-otter/files'],
    ['stele://amber-otter/history', '/v1/sites/amber-otter/history?limit=100'],
    ['stele://amber-otter/files/a/b%20c.txt', '/v1/sites/amber-otter/files/a/b%20c.txt'],
    ['stele://amber-otter/files/ü?x#y', '/v1/sites/amber-otter/files/%C3%BC%3Fx%23y'],
  ])('the URI %s maps to the path %s', (uri, path) => expect(resourcePath(uri)).toBe(path));

  it.each([
    'stele://amber-otter',
    'stele://amber-otter/files/../history',
    'stele://amber-otter/files/%2e%2e/x',
    'stele://amber-otter/files//x',
    'stele://amber-otter/files/%zz',
    'stele://amber-otter/history/x',
    'stele://Amber/files',
    'stele://a.b/files',
    'https://amber-otter/files',
    '',
  ])('the URI %s maps to no path', (uri) => expect(resourcePath(uri)).toBeNull());
});
