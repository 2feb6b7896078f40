import { describe, expect, it } from '@jest/globals';
import { stateAfter } from '../../../test/support/given.js';
import { ann, by, created, deployed, digestOf, nobody, stranger } from '../../../test/support/stories.js';
import { SiteCreated } from '../../events/site.events.js';
import type { Caller } from '../../kernel/caller.js';
import { mayEdit } from './may-edit.decide.js';
import { site } from './site.state.js';

const anns = stateAfter(site, [created, deployed(1)]);
const somebodys = stateAfter(site, [SiteCreated({ slug: 'amber-otter', editTokenHash: null }), deployed(1)]);

describe('Who may edit a site', () => {
  it('lets in whoever has its edit token', () => expect(mayEdit(anns, by(ann))).toBe(anns));

  it.each<[string, Caller, string]>([
    ['who shows nothing who they are', nobody, 'unauthenticated'],
    ['another site’s token', stranger, 'edit_token_invalid'],
    [
      'a hash that differs in its last digit',
      { editTokenHash: digestOf('a').replace(/0$/, '1') },
      'edit_token_invalid',
    ],
    ['a shorter hash', { editTokenHash: 'a' }, 'edit_token_invalid'],
    ['an empty hash', { editTokenHash: '' }, 'edit_token_invalid'],
  ])('asks or turns away %s', (_, caller, code) =>
    expect(() => mayEdit(anns, by(caller))).toThrow(expect.objectContaining({ code })),
  );

  it('accepts no edit token for a site that belongs to somebody', () =>
    expect(() => mayEdit(somebodys, by(ann))).toThrow(expect.objectContaining({ code: 'edit_token_invalid' })));

  it('says that there is no such site before it asks who wants to know', () =>
    expect(() => mayEdit(site.initial, by(nobody))).toThrow(expect.objectContaining({ code: 'site_not_found' })));
});
