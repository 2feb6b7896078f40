import { hash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { expectNone } from '../../test/support/jest/expect-none.js';
import { canonical } from '../kernel/hashing/canonical.js';
import { catalogue } from './catalogue.js';
import type { AnyEventType } from './event-type.js';

/**
 * Fingerprints of the schemas of each type, one per version, oldest first.
 *
 * Never edit a released fingerprint: stored events do not change when a schema changes.
 */
const shapes: Record<string, readonly string[]> = {
  AccessTokenIssued: ['8af8e7458569'],
  AccessTokenRevoked: ['233d55a1aed1'],
  CapabilitySet: ['16781a9acffc', '75d25d9af30e'],
  ConnectorTokenIssued: ['22fa923128de'],
  ConnectorTokenRevoked: ['22fa923128de'],
  DomainActivated: ['a85086663a3e'],
  DomainAdded: ['072c2ebcdf4b'],
  DomainChanged: ['5a05f09cd2d7'],
  DomainFailed: ['ad5e8dcab2e9'],
  DomainFound: ['ad5e8dcab2e9'],
  DomainLost: ['ad5e8dcab2e9'],
  DomainMissed: ['9e5fc0220d39'],
  DomainMoved: ['0e2366ac78a2'],
  DomainRemoved: ['ad5e8dcab2e9'],
  InviteRevoked: ['e764cd2e6629'],
  JobFailed: ['ec59bd01c874'],
  JobForgotten: ['71fc596a20f2'],
  JobLogged: ['d7c061e37d64'],
  JobQueued: ['9f55159f86a9', 'b19e88411d77', 'cb3a0d988499'],
  JobQueuedAgain: ['6e728c12154f'],
  JobStarted: ['7bd46f60dc20'],
  JobStepped: ['3c01cef943c6'],
  JobStopRequested: ['71fc596a20f2', '235e4e273e7a'],
  JobStopped: ['71fc596a20f2', '235e4e273e7a'],
  JobSucceeded: ['a77f2cf86afd', '4c1c2b6dad7b'],
  MemberAdded: ['e13943ec6e6d'],
  MemberInvited: ['fc25b45becd4', 'cd555d572c8c'],
  MemberRemoved: ['469d61ac56b7'],
  MemberRoleChanged: ['6771195a11a9'],
  PublisherRemoved: ['ca821ee6ecb5'],
  PublisherTrusted: ['0c22a0ffa5d0'],
  PublisherUsed: ['a6ea09271aaf'],
  RunFailed: ['26da8e79e3a1'],
  RunForgotten: ['71fc596a20f2'],
  RunLogged: ['26da8e79e3a1'],
  RunProgressed: ['26da8e79e3a1'],
  RunStarted: ['26da8e79e3a1'],
  RunSucceeded: ['26da8e79e3a1'],
  SecretDeleted: ['4abbd15b2f20'],
  SecretSet: ['4abbd15b2f20'],
  SiteAccessSet: ['6d9940488759'],
  SiteClaimed: ['469d61ac56b7'],
  SiteCreated: ['03c58dbe2728'],
  SiteDeleted: ['71fc596a20f2'],
  SiteDeployed: ['62ff96abd4da', '446c0234b0eb', '6f2f1646ac98', '171ddcd1997a', '120cf83d5282'],
  SiteDescribed: ['fdefe0d57b8d'],
  SiteDomainActivated: ['ffc0c69327b3'],
  SiteDomainAdded: ['6fc14c2ea980'],
  SiteDomainChanged: ['95a170836be8'],
  SiteDomainFailed: ['ffc0c69327b3'],
  SiteDomainFound: ['ffc0c69327b3'],
  SiteDomainLost: ['ffc0c69327b3'],
  SiteDomainMissed: ['ffc0c69327b3'],
  SiteDomainRemoved: ['ffc0c69327b3'],
  SiteExpired: ['71fc596a20f2'],
  SiteExpirySet: ['85df6be2b1c7', '1ea8b13108bb'],
  SiteForgotten: ['71fc596a20f2'],
  SiteJobQueued: ['d33dc8229601', 'ed0b26425e5f'],
  SiteRenamed: ['62e84f13eae3'],
  SiteRepositoryLinked: ['bfa57791ad5a'],
  SiteRepositoryUnlinked: ['efd5a3f7d5c0'],
  SiteRestored: ['71fc596a20f2'],
  SiteRolledBack: ['c442902d864f', '9f6f5b35f613', 'b2aaa6c088f3', '2a91e57540d3', 'e9af40628586'],
  SiteServerCrashed: ['b015fb4b8500'],
  SiteSlugReleased: ['256124176ffa'],
  SiteStaged: ['75e7a3e2a147', 'c41abecc05b5', '60bc5ac87a5e', 'ce1625fdfea2', '51fad1f111e1'],
  SiteTakenDown: ['35726bcd177f'],
  SlugHeld: ['ad5e8dcab2e9'],
  SlugReserved: ['9e5fc0220d39'],
  WorkExpired: ['4da8296518d5'],
  WorkFailed: ['f461ce0ba41f'],
  WorkForgotten: ['71fc596a20f2'],
  WorkLeased: ['e3fc18a9448b'],
  WorkQueued: ['60a1fd182a18'],
  WorkReturned: ['0eac17dee610'],
  WorkSucceeded: ['0abd0bcff1cd'],
};

const fingerprint = ({ shape }: AnyEventType) => hash('sha256', canonical(z.toJSONSchema(shape))).slice(0, 12);

/** Describes what to do about a schema that has no fingerprint or a different one. Returns null if it is up to date. */
function findRemedy(type: AnyEventType): string | null {
  const { type: name, schema } = type;
  const actual = fingerprint(type);
  const known = shapes[name];
  const example = `and add an example of ${name} as it is stored to the spec of its *.events.ts file`;
  if (known === undefined)
    return `${name} is a new type. Add the line \`${name}: ['${actual}'],\` to src/events/shapes.spec.ts, ${example}.`;
  if (known.length > schema)
    return `${name} has lost an upcast: ${known.length} schema versions of it are stored, but it can read only ${schema}.`;
  if (known.length < schema)
    return `${name} has a new schema version. Append '${actual}' to its line in src/events/shapes.spec.ts, ${example}.`;
  if (known[schema - 1] !== actual)
    return `The schema of ${name} has changed, but stored events have not. Add an upcast to the type, append '${actual}' to its line in src/events/shapes.spec.ts, ${example}. If its current version was never released, replace the last fingerprint instead.`;
  return null;
}

describe('The schema of each event type', () => {
  it.each(catalogue.types.map((type) => [type.type, type.schema, type] as const))(
    'has a fingerprint and does not change without a new version: %s %i',
    (_name, _schema, type) => expect(findRemedy(type)).toBeNull(),
  );

  it('remains readable: no type is removed', () => {
    const types = new Set(catalogue.types.map(({ type }) => type));
    expectNone(
      Object.keys(shapes).filter((name) => !types.has(name)),
      'Stores can contain events of these types, so list them in `siteEvents` or in src/events/catalogue.ts',
    );
  });
});
