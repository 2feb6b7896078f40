import { describe, expect, it } from '@jest/globals';
import { keepsItsPast } from '../../test/support/event-examples.js';
import { catalogue } from './catalogue.js';
import { memberEvents } from './member.events.js';
import { siteEvents, siteIdOf, siteStream } from './site.events.js';

const digest = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const deployed = {
  deployId: 'dep_01jd4v8k3mqg5t2x9w7z6y4r1p',
  number: 2,
  manifest: digest,
  files: 3,
  bytes: 2048,
  source: 'upload',
  message: null,
  replaced: 'dep_01jd4v7h2kpf4s1w8v6y5x3q0n',
};

const { replaced: _, ...staged } = deployed;

describe('Events of a site', () => {
  const told = siteEvents.filter((type) => !memberEvents.some((other) => other.type === type.type));
  keepsItsPast(told, {
    SiteCreated: [{ slug: 'amber-otter-4821', editTokenHash: digest }],
    SiteDeployed: [deployed],
    SiteRolledBack: [
      { deployId: 'dep_1', manifest: digest, replaced: 'dep_2' },
      { deployId: 'dep_1', manifest: digest, replaced: 'dep_2', rollbackId: 'rbk_1' },
    ],
    SiteStaged: [staged],
    SiteExpirySet: [{ expiresAt: '2026-11-20T12:00:00.000Z' }],
    SiteExpired: [{}],
    SiteTakenDown: [{ reason: 'phishing' }],
    SiteRestored: [{}],
  });

  it.each([
    ['a first deploy, which replaces nothing', { ...deployed, number: 1, replaced: null }],
    ['a message', { ...deployed, message: 'Spring colours' }],
    ['empty files', { ...deployed, bytes: 0 }],
    ['a deploy out of a repository', { ...deployed, source: 'repo' }],
  ])('can tell of %s', (_, data) => expect(catalogue.write('SiteDeployed', data)).toBe(1));

  it.each([
    ['no files', { ...deployed, files: 0 }],
    ['number 0', { ...deployed, number: 0 }],
    ['a source nobody knows', { ...deployed, source: 'telepathy' }],
    ['a digest in capitals', { ...deployed, manifest: digest.toUpperCase() }],
    ['a digest that is too short', { ...deployed, manifest: digest.slice(1) }],
    ['a digest with a line break after it', { ...deployed, manifest: `${digest}\n` }],
  ])('cannot tell of a deploy with %s', (_, data) => expect(() => catalogue.write('SiteDeployed', data)).toThrow());

  it('can tell of a site that was somebody’s from the start', () =>
    expect(catalogue.write('SiteCreated', { slug: 'x', editTokenHash: null })).toBe(1));

  it('takes the hash of an edit token, never the token', () =>
    expect(() => catalogue.write('SiteCreated', { slug: 'x', editTokenHash: 'stele_edit_x' })).toThrow());

  it('are kept under the site’s id', () => {
    expect(siteStream('site_1')).toBe('site-site_1');
    expect(siteIdOf(siteStream('site_1'))).toBe('site_1');
  });
});
