import { request } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { orAborted } from '../../kernel/concurrency/or-aborted.js';
import { isPublic } from '../network/public-address.js';
import { clientMetadata, isFault } from './client-metadata.js';

/** All addresses of a name. Throws, or answers none, where there are none. */
type Lookup = (host: string) => Promise<readonly string[]>;

/** For all of it: the name, the connection, the document. Milliseconds. */
const WITHIN_MS = 3_000;

/** Ten times as much as one has to say. Bytes. */
const MOST_BYTES = 16_384;

/**
 * Reads metadata documents of clients, whose address anybody may choose: over https alone, from public addresses alone
 * unless the operator lists the host, at the very addresses that were checked, without following redirects, and no more
 * than such a document has to say. It has the shape of `fetch`, and rejects where a document cannot be had; why is said
 * to nobody, as it would tell of our own network.
 *
 * @param listed `host:port`s that the operator vouches for (STELE_REPO_HOSTS)
 */
export function clientDocuments(lookup: Lookup, listed: ReadonlySet<string>) {
  return async (address: string | URL): Promise<Response> => {
    const url = new URL(address);
    const signal = AbortSignal.timeout(WITHIN_MS);
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
    const isListed = listed.has(`${host}:${url.port || 443}`);
    const addresses = isIP(host) ? [host] : ((await orAborted(lookup(host), signal)) ?? []);
    if (addresses.length === 0 || !(isListed || addresses.every(isPublic))) throw new TypeError('not a public address');
    const document = await read(url, host, addresses, signal);
    const metadata = clientMetadata(document);
    if (isFault(metadata)) throw new TypeError(`${metadata.member} ${metadata.message}`);
    return Response.json(
      { ...metadata, client_id: document.client_id },
      { headers: { 'cache-control': 'max-age=600' } },
    );
  };
}

function read(url: URL, host: string, addresses: readonly string[], signal: AbortSignal) {
  return new Promise<Record<string, unknown>>((resolve, reject) => {
    const asked = request(
      url,
      {
        agent: false,
        headers: { accept: 'application/json', 'user-agent': 'Stele' },
        lookup: pinnedTo(addresses),
        signal,
        ...(isIP(host) === 0 && { servername: host }),
      },
      (answer) => {
        if (answer.statusCode !== 200) {
          asked.destroy();
          return reject(new TypeError(`answered ${answer.statusCode}`));
        }
        const pieces: Buffer[] = [];
        let size = 0;
        answer.on('data', (piece: Buffer) => {
          size += piece.length;
          pieces.push(piece);
          if (size > MOST_BYTES) asked.destroy(new RangeError('more than a document has to say'));
        });
        answer.on('error', reject);
        answer.on('end', () => {
          try {
            resolve(objectIn(Buffer.concat(pieces).toString('utf8')));
          } catch (error) {
            reject(error);
          }
        });
      },
    );
    asked.on('error', reject);
    asked.end();
  });
}

function objectIn(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('is no JSON object');
  return { ...value };
}

/** Connects to what was checked: a name server may answer otherwise the next time. */
const pinnedTo =
  (addresses: readonly string[]): LookupFunction =>
  (_, { all }, done) => {
    const found = addresses.map((address) => ({ address, family: isIP(address) }));
    const [first = { address: '', family: 0 }] = found;
    if (all) done(null, found);
    else done(null, first.address, first.family);
  };
