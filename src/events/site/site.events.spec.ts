import { describe, expect, it } from '@jest/globals';
import { storedEventContract } from '../../../test/support/events/stored-event.contract.js';
import { catalogue } from '../catalogue.js';
import { memberEvents } from './member.events.js';
import { repositoryEvents } from './repository.events.js';
import { serverEvents } from './server.events.js';
import { settingsEvents } from './settings.events.js';
import { readSiteId, siteEvents, siteStream } from './site.events.js';
import { siteDomainEvents } from './site-domain.events.js';
import { tokenEvents } from './token.events.js';

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
const made = { jobId: 'job_01jd4v9m2nrh6v3y0x8a7z5s2q', commit: 'b3a6a4d0c6e4f2d1a0f9e8d7c6b5a49382716050' };
const job = { ...made, provenance: digest };
const asFiles = { ...job, program: null, trusted: true };
const server = { ...job, files: 0, program: { kind: 'next' } };
const asServer = { ...server, trusted: false };
const asImage = { ...asServer, program: { kind: 'container' } };

const source = { url: 'https://example.org/a', ref: null, rootDirectory: null, plan: {} };

describe('Site events', () => {
  const elsewhere = new Set<string>(
    [
      ...[...memberEvents, ...settingsEvents, ...siteDomainEvents, ...tokenEvents],
      ...[...serverEvents, ...repositoryEvents],
    ].map(({ type }) => type),
  );
  const recorded = siteEvents.filter(({ type }) => !elsewhere.has(type));
  storedEventContract(recorded, {
    SiteCreated: [{ slug: 'amber-otter-4821', editTokenHash: digest }],
    SiteDeployed: [
      ...([deployed, { ...deployed, ...made }] as const),
      ...[
        { ...deployed, ...job },
        { ...deployed, ...server },
        { ...deployed, ...asServer },
      ],
    ],
    SiteRolledBack: [
      { deployId: 'dep_1', manifest: digest, replaced: 'dep_2' },
      { deployId: 'dep_1', manifest: digest, replaced: 'dep_2', rollbackId: 'rbk_1' },
      { deployId: 'dep_1', manifest: digest, replaced: 'dep_2', rollbackId: 'rbk_1', program: { kind: 'container' } },
      { deployId: 'dep_1', number: 1, manifest: digest, replaced: 'dep_2', rollbackId: 'rbk_1', program: null },
      {
        ...{ deployId: 'dep_1', number: 1, manifest: digest, replaced: 'dep_2', rollbackId: 'rbk_1', program: null },
        trusted: true,
      },
    ],
    SiteStaged: [
      ...([staged, { ...staged, ...made }] as const),
      ...[
        { ...staged, ...job },
        { ...staged, ...server },
        { ...staged, ...asImage },
      ],
    ],
    SiteJobQueued: [
      { jobId: made.jobId, source },
      { jobId: made.jobId, source, linkId: 'lnk_01jd4v9m2nrh6v3y0x8a7z5s2q', dueAt: '2026-11-20T03:00:00.000Z' },
    ],
    SiteExpirySet: [{ expiresAt: '2026-11-20T12:00:00.000Z' }, { expiresAt: '2026-11-20T12:00:00.000Z', renews: true }],
    SiteExpired: [{}],
    SiteTakenDown: [{ reason: 'phishing' }],
    SiteRestored: [{}],
    SiteForgotten: [{}],
  });

  it.each([
    ['a first deploy, which replaces no other', { ...deployed, ...asFiles, number: 1, replaced: null }],
    ['a message', { ...deployed, ...asFiles, message: 'Spring colours' }],
    ['empty files', { ...deployed, ...asFiles, bytes: 0 }],
    ['a deploy from a repository', { ...deployed, ...asFiles, source: 'repo' }],
    ['an uploaded deploy', { ...deployed, jobId: null, commit: null, provenance: null, program: null, trusted: null }],
    ['a server', { ...deployed, ...asServer }],
    ['an image', { ...deployed, ...asImage }],
  ])('can record %s', (_, data) => expect(catalogue.write('SiteDeployed', data)).toBe(5));

  it.each([
    ['no files', { ...deployed, ...asFiles, files: 0 }],
    ['both a server and files', { ...deployed, ...asServer, files: 3 }],
    ['a server of an unknown kind', { ...deployed, ...asServer, program: { kind: 'php' } }],
    ['number 0', { ...deployed, ...asFiles, number: 0 }],
    ['an unknown source', { ...deployed, ...asFiles, source: 'telepathy' }],
    ['a digest in upper case', { ...deployed, ...asFiles, manifest: digest.toUpperCase() }],
    ['a digest that is too short', { ...deployed, ...asFiles, manifest: digest.slice(1) }],
    ['a digest followed by a line break', { ...deployed, ...asFiles, manifest: `${digest}\n` }],
  ])('cannot record a deploy with %s', (_, data) => expect(() => catalogue.write('SiteDeployed', data)).toThrow());

  it('can record a site that had an owner from the start', () =>
    expect(catalogue.write('SiteCreated', { slug: 'x', editTokenHash: null })).toBe(1));

  it('contain only the hash of an edit token', () =>
    expect(() => catalogue.write('SiteCreated', { slug: 'x', editTokenHash: 'stele_edit_x' })).toThrow());

  it('are stored under the site’s ID', () => {
    expect(siteStream('site_1')).toBe('site-site_1');
    expect(readSiteId(siteStream('site_1'))).toBe('site_1');
  });
});
