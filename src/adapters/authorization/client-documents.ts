import { checkedJson } from '../network/checked-json.js';
import type { HostLookup } from '../network/public-address.js';
import { clientMetadata, isFault } from './client-metadata.js';

/** Time limit for name resolution, connection and download together. */
const WITHIN_MS = 3_000;

/** Maximum size of a document, ten times as large as any client needs. */
const MAX_BYTES = 16_384;

/**
 * Returns a function like `fetch` for metadata documents of clients. Anyone can choose their URLs, so a rejection does
 * not reveal the reason, which could expose details of our network.
 *
 * @param listed hosts (`host:port`) that the operator has allowed (STELE_REPO_HOSTS)
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
