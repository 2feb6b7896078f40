import { describe, expect, it } from '@jest/globals';
import { preferredType } from './accept-header.js';

const offered = ['application/json', 'application/x-ndjson'] as const;

describe('The choice between JSON and NDJSON', () => {
  it.each([
    'application/x-ndjson',
    'Application/X-NDJSON',
    'text/html, application/x-ndjson;q=0.2',
    'application/x-ndjson, */*',
    'application/x-ndjson, */*;q=0.5',
    'application/json;q=0.8, application/x-ndjson;q=0.9',
    'application/json;q=0, */*',
  ])('an Accept header of %s selects NDJSON', (accept) =>
    expect(preferredType(accept, offered)).toBe('application/x-ndjson'),
  );

  it.each([
    undefined,
    '',
    '*/*',
    'application/*',
    'text/html',
    'application/json',
    'application/json, application/x-ndjson',
    'application/x-ndjson;q=0',
    'application/x-ndjson;q=0.1, */*',
    'application/x-ndjson-seq',
    ';;;,,,q=',
  ])('an Accept header of %s selects JSON', (accept) =>
    expect(preferredType(accept, offered)).toBe('application/json'),
  );
});
