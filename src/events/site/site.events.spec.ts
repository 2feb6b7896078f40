import { describe, expect, it } from '@jest/globals';
import { expectNone } from '../../../test/support/jest/expect-none.js';
import { catalogue } from '../catalogue.js';
import { readSiteId, SiteDeployed, SiteStaged, siteEvents, siteStream } from './site.events.js';

const asServer = SiteDeployed.example;
const deployed = { ...asServer, files: 3, program: null, trusted: true };
const { manifest: digest } = deployed;
const uploaded = { jobId: null, commit: null, provenance: null, trusted: null };

describe('Site events', () => {
  it.each([
    ['a first deploy, which replaces no other', { ...deployed, number: 1, replaced: null }],
    ['a message', { ...deployed, message: 'Spring colours' }],
    ['empty files', { ...deployed, bytes: 0 }],
    ['a deploy from a repository', { ...deployed, source: 'repo' }],
    ['an uploaded deploy', { ...deployed, ...uploaded }],
    ['a program that gave no name', { ...deployed, client: null }],
    ['a server', asServer],
    ['an image', { ...asServer, program: SiteStaged.example.program }],
  ])('a site event can record %s', (_, data) => expect(catalogue.write('SiteDeployed', data)).toBe(6));

  it.each([
    ['no files', { ...deployed, files: 0 }],
    ['both a server and files', { ...asServer, files: 3 }],
    ['a server of an unknown kind', { ...asServer, program: { kind: 'php' } }],
    ['a name of a program that is too long', { ...deployed, client: 'a'.repeat(61) }],
    ['number 0', { ...deployed, number: 0 }],
    ['an unknown source', { ...deployed, source: 'telepathy' }],
    ['a digest in upper case', { ...deployed, manifest: digest.toUpperCase() }],
    ['a digest that is too short', { ...deployed, manifest: digest.slice(1) }],
    ['a digest followed by a line break', { ...deployed, manifest: `${digest}\n` }],
  ])('a site event cannot record a deploy with %s', (_, data) =>
    expect(() => catalogue.write('SiteDeployed', data)).toThrow(),
  );

  it('site events can record a site that had an owner from the start', () =>
    expect(catalogue.write('SiteCreated', { slug: 'x', editTokenHash: null })).toBe(1));

  it('site events contain only the hash of an edit token', () =>
    expect(() => catalogue.write('SiteCreated', { slug: 'x', editTokenHash: 'stele_edit_x' })).toThrow());

  it('site events declare which properties they change, so that `If-Match` can detect conflicts', () =>
    expectNone(
      siteEvents.filter(({ meaning }) => meaning.changes === undefined).map(({ type }) => type),
      'In src/events/site/, define these types with `siteEventType`, and set `changes` to the kind of change that `If-Match` compares, or to null',
    ));

  it.each(siteEvents.filter(({ meaning }) => meaning.movesLive).map(({ type, example }) => [type, example] as const))(
    'an event that makes another deploy live describes that deploy: %s',
    (_, example) =>
      expect(Object.keys(example)).toEqual(
        expect.arrayContaining(['deployId', 'manifest', 'program', 'replaced', 'trusted']),
      ),
  );

  it('site events are stored under the site’s ID', () => {
    expect(siteStream('site_1')).toBe('site-site_1');
    expect(readSiteId(siteStream('site_1'))).toBe('site_1');
  });
});
