import { checkedJson } from '../network/checked-json.js';
import type { HostLookup } from '../network/public-address.js';
import { clientMetadata, isFault } from './client-metadata.js';

/** Covers name resolution, connection and download. */
const WITHIN_MS = 3_000;

/** Ten times as much as a client needs. */
const MAX_BYTES = 16_384;

/**
 * Reads metadata documents of clients, from addresses that any caller can choose. Has the signature of `fetch`, and
 * rejects if a document cannot be read. Callers do not learn the reason, because that would reveal details of our own
 * network.
 *
 * @param listed `host:port`s that the operator vouches for (STELE_REPO_HOSTS)
 */
export function clientDocuments(lookup: HostLookup, listed: ReadonlySet<string>) {
  return async (address: string | URL): Promise<Response> => {
    const asked = { signal: AbortSignal.timeout(WITHIN_MS), mostBytes: MAX_BYTES };
    const document = await checkedJson(new URL(address), { lookup, listed }, asked);
    const metadata = clientMetadata(document);
    if (isFault(metadata)) throw new TypeError(`${metadata.member} ${metadata.message}`);
    return Response.json(
      { ...metadata, client_id: document.client_id },
      { headers: { 'cache-control': 'max-age=600' } },
    );
  };
}
