import { createHash, createPublicKey, verify } from 'node:crypto';
import { read, type Schemas, type Stele } from 'stele-api/client';
import { readLines } from 'stele-api/streams/follow-stream';
import { RefusedError } from '../command-line/errors.js';
import { canonicalize } from './canonical-json.js';

type Event = { readonly revision: number; readonly stream: string; readonly hash: string; previousHash: string | null };
type Checkpoint = {
  readonly checkpoint: {
    readonly stream: string;
    readonly revision: number;
    readonly hash: string;
    readonly at: string;
  };
  readonly keyId: string;
  readonly publicKey: { readonly x: string };
  readonly signature: string;
};
type Line = Event | Checkpoint | { readonly fault: { readonly detail: string } };

export type Verified = { readonly events: number; readonly head: string; readonly keyId: string };

/**
 * Downloads the history of a site and verifies it as described in docs/audit.md of the service. Checks the chain of
 * hashes, the signature, and whether the instance publishes the signing key. Throws RefusedError at the first invalid
 * line.
 */
export async function verifyHistory(stele: Stele, slug: string): Promise<Verified> {
  const { keys } = await read(stele.api.GET('/.well-known/stele-audit-key'));
  const url = stele.url(`/v1/sites/${slug}/history`);
  const response = await stele.open(new Request(url, { headers: { accept: 'application/x-ndjson' } }));
  return verifyLines(readLines(response), keys);
}

export async function verifyLines(
  lines: AsyncIterable<string> | Iterable<string>,
  keys: Schemas['AuditKeys']['keys'],
): Promise<Verified> {
  let last: Event | null = null;
  let checkpoint: Checkpoint | null = null;
  let events = 0;
  for await (const text of lines) {
    if (checkpoint) throw invalid(`It continues after the checkpoint of revision ${checkpoint.checkpoint.revision}.`);
    const line = parseLine(text, events + 1);
    if ('fault' in line) throw invalid(`The service reports a fault: ${line.fault.detail}`);
    if ('checkpoint' in line) checkpoint = line;
    else {
      events += 1;
      assertFollows(line, last, events);
      last = line;
    }
  }
  if (!checkpoint || !last) throw invalid('It ends without a checkpoint, so it is incomplete.');
  assertSigned(checkpoint, last, keys);
  return { events, head: last.hash, keyId: checkpoint.keyId };
}

function assertFollows(event: Event, last: Event | null, expected: number): void {
  const { hash, previousHash, ...rest } = event;
  if (event.revision !== expected || (last && event.stream !== last.stream))
    throw invalid(`Revision ${expected} is missing, or belongs to another site.`);
  if (previousHash !== (last?.hash ?? null))
    throw invalid(`The previousHash of revision ${expected} is not the hash of the revision before it.`);
  const computed = createHash('sha256')
    .update((previousHash ?? '') + canonicalize(rest))
    .digest('hex');
  if (computed !== hash) throw invalid(`The hash of revision ${expected} does not match its content.`);
}

function assertSigned(line: Checkpoint, last: Event, keys: Schemas['AuditKeys']['keys']): void {
  const { checkpoint, keyId, publicKey, signature } = line;
  if (checkpoint.revision !== last.revision || checkpoint.hash !== last.hash || checkpoint.stream !== last.stream)
    throw invalid(`It ends with revision ${last.revision}, but its checkpoint is for another revision.`);
  const jwk = { crv: 'Ed25519', kty: 'OKP', x: publicKey.x };
  const thumbprint = createHash('sha256').update(canonicalize(jwk)).digest('base64url');
  const isPublished = keys.some((key) => (key as { x?: string }).x === publicKey.x);
  if (thumbprint !== keyId || !isPublished)
    throw invalid('It is signed with a key that the instance does not publish.');
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  if (!verify(null, Buffer.from(canonicalize({ checkpoint })), key, Buffer.from(signature, 'base64url')))
    throw invalid('The signature of its checkpoint is wrong.');
}

function parseLine(text: string, number: number): Line {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(`Line ${number} is not JSON.`);
  }
}

const invalid = (message: string) => new RefusedError(`The history is not valid. ${message}`, 'history_invalid');
