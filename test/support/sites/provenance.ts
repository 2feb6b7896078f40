import { createPublicKey, hash, type KeyObject } from 'node:crypto';
import { bundleFromJSON } from '@sigstore/bundle';
import { toSignedEntity, Verifier } from '@sigstore/verify';
import type { DsseEnvelope } from '../../../src/modules/jobs/provenance/dsse.js';
import type { Stele } from '../service/stele.js';

type Descriptor = {
  readonly name?: string;
  readonly uri?: string;
  readonly digest?: Readonly<Record<string, string>>;
};

export type Statement = {
  readonly _type: string;
  readonly subject: readonly { readonly name: string; readonly digest: { readonly sha256: string } }[];
  readonly predicateType: string;
  readonly predicate: {
    readonly buildDefinition: {
      readonly buildType: string;
      readonly externalParameters: Record<string, unknown>;
      readonly internalParameters: Record<string, unknown>;
      readonly resolvedDependencies: readonly Descriptor[];
    };
    readonly runDetails: {
      readonly builder: { readonly id: string; readonly version: Readonly<Record<string, string>> };
      readonly metadata: {
        readonly invocationId: string;
        readonly startedOn: string;
        readonly finishedOn: string;
      };
    };
  };
};

type Keys = ReadonlyMap<string, KeyObject>;

export async function publicKeys({ api }: Stele): Promise<Keys> {
  const { body } = await api.get('/.well-known/stele-audit-key').expect(200);
  const keys = body.keys as { kid: string; kty: string; crv: string; x: string }[];
  return new Map(keys.map(({ kid, ...key }) => [kid, createPublicKey({ key, format: 'jwk' })]));
}

/**
 * Verifies an envelope with the Sigstore project's library, and returns the statement in it. Throws if no key matches.
 */
export function verified(envelope: DsseEnvelope, keys: Keys): Statement {
  const { payload, signatures } = envelope;
  const bundle = bundleFromJSON({
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: { publicKey: { hint: signatures[0]?.keyid }, tlogEntries: [] },
    dsseEnvelope: envelope,
  });
  const trusted = {
    certificateAuthorities: [],
    timestampAuthorities: [],
    tlogs: [],
    ctlogs: [],
    publicKey: (hint: string) => {
      const publicKey = keys.get(hint);
      if (!publicKey) throw new Error(`There is no key “${hint}”.`);
      return { publicKey, validFor: () => true };
    },
  };
  const inNoLog = { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 };
  new Verifier(trusted, inNoLog).verify(toSignedEntity(bundle));
  return JSON.parse(Buffer.from(payload, 'base64').toString('utf8'));
}

/** Returns the SHA-256 digest of each file of a deploy, by path. Throws if the statement is about another manifest. */
export function filesNamed({ subject }: Statement, manifest: Buffer): ReadonlyMap<string, string> {
  const sha256 = hash('sha256', manifest);
  if (!subject.some(({ digest }) => digest.sha256 === sha256)) throw new Error('The manifest is another.');
  const lines = manifest.toString('utf8').split('\n').slice(0, -1);
  return new Map(lines.map((line) => [line.split(' ').slice(2).join(' '), line.slice(0, 64)]));
}

/** Yields a copy of `bytes` for each byte, with one bit of that byte changed. */
export function* withOneBitChanged(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(at) ^ (1 << (at % 8)), at);
    yield changed;
  }
}
