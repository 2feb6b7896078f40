import { describe, expect, it } from '@jest/globals';
import { catalogue } from '../catalogue.js';
import { AccessTokenIssued, PublisherTrusted, PublisherUsed } from './token.events.js';

describe('Events about tokens and publishers', () => {
  it.each([
    ['AccessTokenIssued', { ...AccessTokenIssued.example, name: 'Ann’s laptop' }, /name/],
    ['PublisherTrusted', { ...PublisherTrusted.example, claims: { repository: 'ann/site' } }, /claims/],
    ['PublisherUsed', { ...PublisherUsed.example, actor: 'ann' }, /actor/],
  ])('events of the type %s contain no text written by users', (type, data, named) =>
    expect(() => catalogue.write(type, data)).toThrow(named),
  );
});
