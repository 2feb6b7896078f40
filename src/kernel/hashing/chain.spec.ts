import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import canonicalize from 'canonicalize';
import { emptyStream, type Head } from '../event-store.js';
import { canonical } from './canonical.js';
import { chainHash, type Digest, linkAll, type StoredForm } from './chain.js';

const digest: Digest = (text) => createHash('sha256').update(text, 'utf8').digest('hex');

const form = (revision: number): StoredForm => ({
  id: `evt_${revision}`,
  stream: 'site-1',
  revision,
  type: 'SiteDeployed',
  schema: 1,
  at: '2026-01-02T03:04:05.678Z',
  actor: canonical({ kind: 'user', name: 'Zoë', id: 'usr_1' }),
  data: canonical({ number: revision, ключ: 'a\u0000"\\' }),
});
const forms = [1, 2, 3, 4].map(form);

type Link = { readonly hash: string | null; readonly previousHash: string | null };

function holds(events: readonly StoredForm[], links: readonly Link[], head: Head = emptyStream): boolean {
  const due = linkAll(digest, true, head, events);
  return (
    due.length === links.length &&
    due.every((link, n) => link.hash === links[n]?.hash && link.previousHash === links[n]?.previousHash)
  );
}

describe('The hash of an event', () => {
  it('an event’s hash covers the previous hash and the canonical JSON of the stored event', () => {
    for (const previous of [null, 'f'.repeat(64)]) {
      const [event] = forms;
      const text = canonicalize({ ...event!, actor: JSON.parse(event!.actor), data: JSON.parse(event!.data) });
      expect(chainHash(digest, previous, event!)).toBe(digest(`${previous ?? ''}${text}`));
    }
  });

  it('an event’s hash does not depend on the order of object members', () => {
    const [event] = forms;
    const turned = Object.fromEntries(Object.entries(event!).reverse()) as StoredForm;
    expect(chainHash(digest, null, turned)).toBe(chainHash(digest, null, event!));
  });

  it('an event’s hash matches a SHA-256 hash computed outside this code', () => {
    const text =
      '{"actor":{"kind":"system"},"at":"2026-01-02T03:04:05.678Z","data":{},"id":"evt_1","revision":1,"schema":1,"stream":"site-1","type":"T"}';
    const event = { ...form(1), actor: '{"kind":"system"}', data: '{}', type: 'T' };
    expect(chainHash((hashed) => hashed, null, event)).toBe(text);
    expect(chainHash(digest, null, event)).toBe('629f14e717518a3dedccb2891a5f5734319f3b28de64e9681684343194e5ca9f');
  });
});

describe('A hash chain', () => {
  const links = linkAll(digest, true, emptyStream, forms);

  it('starts without a previous hash and links each event to the one before it', () => {
    expect(links[0]?.previousHash).toBeNull();
    expect(links.slice(1).map(({ previousHash }) => previousHash)).toEqual(links.slice(0, -1).map(({ hash }) => hash));
    expect(links.every(({ hash }) => /^[0-9a-f]{64}$/.test(hash ?? ''))).toBe(true);
    expect(holds(forms, links)).toBe(true);
  });

  it('a hash chain is the same whether events are appended in one write or several', () => {
    const first = linkAll(digest, true, emptyStream, forms.slice(0, 2));
    const second = linkAll(digest, true, { revision: 2, hash: first[1]!.hash }, forms.slice(2));
    expect([...first, ...second]).toEqual(links);
  });

  it.each(['id', 'stream', 'type', 'at', 'data'] as const)(
    'breaks when one byte of an event’s %s changes',
    (member) => {
      const changed = forms.with(1, {
        ...forms[1]!,
        [member]: forms[1]![member].replace(/[a-z0-9](?=[^a-z0-9]*$)/i, 'X'),
      });
      expect(changed[1]).not.toEqual(forms[1]);
      expect(holds(changed, links)).toBe(false);
    },
  );

  it.each([
    ['revision', { revision: 3 }],
    ['schema', { schema: 2 }],
    ['actor', { actor: canonical({ kind: 'user', name: 'Zoe', id: 'usr_1' }) }],
  ])('breaks when an event’s %s changes', (_, change) => {
    expect(holds(forms.with(1, { ...forms[1]!, ...change }), links)).toBe(false);
  });

  it('breaks when an event is removed, even if its link is removed too', () => {
    expect(holds(forms.toSpliced(1, 1), links.toSpliced(1, 1))).toBe(false);
    expect(holds(forms.toSpliced(0, 1), links.toSpliced(0, 1))).toBe(false);
  });

  it('breaks when two events are swapped, even if their links are swapped too', () => {
    const swap = <Item>([a, b, c, d]: readonly Item[]) => [a!, c!, b!, d!];
    expect(holds(swap(forms), swap(links))).toBe(false);
    expect(holds(swap(forms), links)).toBe(false);
  });

  it('breaks when an event is inserted, even if it links to the event before it', () => {
    const [link] = linkAll(digest, true, { revision: 2, hash: links[1]!.hash }, [{ ...form(3), id: 'evt_forged' }]);
    expect(holds(forms.toSpliced(2, 0, { ...form(3), id: 'evt_forged' }), links.toSpliced(2, 0, link!))).toBe(false);
  });

  it('streams without a hash chain have no hashes', () => {
    expect(linkAll(digest, false, { revision: 3, hash: 'f'.repeat(64) }, forms)).toEqual(
      forms.map((form) => ({ ...form, hash: null, previousHash: null })),
    );
  });
});
