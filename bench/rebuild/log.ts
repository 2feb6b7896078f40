import { hash } from 'node:crypto';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { from } from 'pg-copy-streams';
import type { DomainEvent } from '../../src/kernel/decider.js';
import type { Head } from '../../src/kernel/event-store.js';
import { pg, product } from '../product.ts';

const sites = await product('events/site/site.events.js');
const members = await product('events/site/member.events.js');
const { slugStream, SlugHeld } = await product('events/slug.events.js');
const { catalogue, isChained } = await product('events/catalogue.js');
const { toStored } = await product('storage/store/stored-event.js');
const { emptyStream } = await product('kernel/event-store.js');
const { SCHEMA } = await product('storage/store/postgres/postgres.schema.js');

const digest = (text: string) => hash('sha256', text);
const recording = { catalogue, isChained, digest };

type Site = {
  readonly id: string;
  readonly slug: string;
  head: Head;
  live: string | null;
  claimed: boolean;
  readonly deploys: string[];
  readonly invites: string[];
  readonly members: { memberId: string; userId: string }[];
};
/** An event of the history, and the head of its stream so far. */
type Step = { stream: string; site: { head: Head }; at: string; event: DomainEvent };

/** mulberry32, which generates the same pseudo-random numbers in each run. */
function seeded(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

/** Yields a plausible history of sites with about 13 events each. Most events belong to new sites. */
export function* story(length: number): Generator<Step> {
  const random = seeded(1);
  const id = (prefix: string) =>
    `${prefix}_01m7${digest(`${prefix}${random(2 ** 31)}${random(2 ** 31)}`).slice(0, 22)}`;
  const all: Site[] = [];
  let at = Date.UTC(2026, 0, 1);
  for (let written = 0; written < length; ) {
    at += 1 + random(20_000);
    const time = new Date(at).toISOString();
    if (random(13) === 0 || all.length === 0) {
      const siteId = id('site');
      const site: Site = {
        id: siteId,
        slug: `site-${siteId.slice(-20)}`,
        head: emptyStream,
        deploys: [],
        live: null,
        members: [],
        invites: [],
        claimed: false,
      };
      all.push(site);
      yield {
        stream: slugStream(site.slug),
        site: { head: emptyStream },
        at: time,
        event: SlugHeld({ siteId: site.id }),
      };
      const event = sites.SiteCreated({ slug: site.slug, editTokenHash: digest(site.id) });
      yield { stream: sites.siteStream(site.id), site, at: time, event };
      written += 2;
      continue;
    }
    const recent = random(10) < 8 ? Math.max(0, all.length - 1 - random(2_000)) : random(all.length);
    const site = all[recent]!;
    yield { stream: sites.siteStream(site.id), site, at: time, event: next(site, random, id, at) };
    written += 1;
  }
}

function next(site: Site, random: (below: number) => number, id: (prefix: string) => string, at: number) {
  const kind = random(10);
  if (kind === 0 && !site.claimed) {
    site.claimed = true;
    return members.SiteClaimed({ memberId: id('mem'), userId: id('usr') });
  }
  if (kind === 1) {
    const inviteId = id('inv');
    site.invites.push(inviteId);
    const expiresAt = new Date(at + 604_800_000).toISOString();
    return members.MemberInvited({ inviteId, role: 'editor', expiresAt, invitedBy: null });
  }
  const inviteId = kind === 2 ? site.invites.pop() : undefined;
  if (inviteId !== undefined) {
    const member = { memberId: id('mem'), userId: id('usr') };
    site.members.push(member);
    return members.MemberAdded({ ...member, role: 'editor', inviteId });
  }
  const member = kind === 3 ? site.members.at(-1) : undefined;
  if (member !== undefined) {
    if (random(3) !== 0) return members.MemberRoleChanged({ ...member, role: 'viewer' });
    site.members.pop();
    return members.MemberRemoved(member);
  }
  if (kind === 4 && site.deploys.length > 1) {
    const earlier = site.deploys[random(site.deploys.length)]!;
    const replaced = site.live;
    if (replaced !== null && earlier !== replaced) {
      site.live = earlier;
      const manifest = digest(earlier);
      return sites.SiteRolledBack({
        deployId: earlier,
        number: null,
        manifest,
        program: null,
        replaced,
        rollbackId: null,
        trusted: null,
      });
    }
  }
  const deployId = id('dep');
  const replaced = site.live;
  site.deploys.push(deployId);
  site.live = deployId;
  return sites.SiteDeployed({
    deployId,
    number: site.deploys.length,
    manifest: digest(deployId),
    files: 1 + random(40),
    bytes: random(10_000_000),
    source: 'upload',
    message: random(3) === 0 ? `Say "what" is new, time ${random(1000)}` : null,
    replaced,
    jobId: null,
    commit: null,
    provenance: null,
    trusted: null,
    client: null,
    program: null,
  });
}

/** Writes the history into the events table by COPY, in the product’s own format. Returns the number of events. */
export async function writeLog(connectionString: string, length: number): Promise<number> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(SCHEMA);
  const copy = client.query(
    from('copy events (stream, revision, id, type, schema, at, actor, data, hash, previous_hash) from stdin'),
  );
  const actor = { kind: 'user', id: 'usr_01m7wz667qenk9kwd9zhj5s01f' } as const;
  let events = 0;
  let lines = '';
  for (const { stream, site, at, event } of story(length)) {
    const [stored] = toStored(recording, stream, site.head, [
      { ...event, id: `evt_01m7${digest(`${events}`).slice(0, 22)}`, at, actor },
    ]);
    if (stored === undefined) throw new Error('An event was not stored.');
    site.head = { revision: stored.revision, hash: stored.hash };
    const { id, revision, type, schema, actor: actorText, data, hash, previousHash } = stored;
    const fields = [stream, revision, id, type, schema, at, actorText, data, hash, previousHash];
    lines += `${fields.map((field) => (field === null ? '\\N' : String(field).replaceAll('\\', '\\\\'))).join('\t')}\n`;
    events += 1;
    if (lines.length > 1_000_000) {
      if (!copy.write(lines)) await once(copy, 'drain');
      lines = '';
    }
  }
  const copied = finished(copy);
  copy.end(lines);
  await copied;
  await client.query('vacuum analyze events');
  await client.end();
  return events;
}
