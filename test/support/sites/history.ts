import { hash } from 'node:crypto';
import type { Actor } from '../../../src/kernel/event-store.js';
import { canonical } from '../../../src/kernel/hashing/canonical.js';
import { chainHash } from '../../../src/kernel/hashing/chain.js';
import type { Stele } from '../service/stele.js';

export type HistoryItem = {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly schema: number;
  readonly at: string;
  readonly actor: Actor;
  readonly data: Record<string, unknown>;
  readonly hash: string;
  readonly previousHash: string | null;
};

/** Reads the whole history of a site, oldest first, page by page as a client does. */
export async function historyOf({ api }: Stele, slug: string, editToken: string): Promise<HistoryItem[]> {
  const items: HistoryItem[] = [];
  for (let page = 1; ; page++) {
    const { body } = await api
      .get(`/v1/sites/${slug}/history`)
      .query({ page, limit: 100 })
      .set('x-svc-edit-token', editToken)
      .expect(200);
    items.push(...body.items);
    if (items.length >= body.total || body.items.length === 0) return items.reverse();
  }
}

/** Verifies the hash chain of a history with nothing but the API's response. Returns the faults. */
export function faultsOfChain(history: readonly HistoryItem[]): string[] {
  const digest = (text: string) => hash('sha256', text);
  let previous: string | null = null;
  return history.flatMap((item, index) => {
    const { hash: stated, previousHash, data, ...form } = item;
    const { id, stream, revision, type, schema, at, actor } = form;
    const computed = chainHash(digest, previous, {
      id,
      stream,
      revision,
      type,
      schema,
      at,
      actor: canonical(actor),
      data: canonical(data),
    });
    const faults = [
      ...(revision === index + 1 ? [] : [`revision ${revision} stands at place ${index + 1}`]),
      ...(previousHash === previous ? [] : [`revision ${revision} does not follow the one before`]),
      ...(computed === stated ? [] : [`revision ${revision} does not have its hash`]),
    ];
    previous = stated;
    return faults;
  });
}
