import type { Pool } from 'pg';
import type { Person } from './site-model.js';

type Row = { readonly stream: string; readonly type: string; readonly data: Record<string, unknown> };

export type RecordedSite = {
  readonly key: string;
  readonly stream: string;
  /** One line for each event, in the format of the model. */
  readonly told: readonly string[];
  readonly types: readonly string[];
  /** IDs of the site's deploys. The first one belongs to deploy 1. */
  readonly deployIds: readonly string[];
  readonly memberIds: ReadonlyMap<Person, string>;
  /** IDs of the site's tokens. The first one belongs to token 1. */
  readonly tokenIds: readonly string[];
};

/** Reads the events of these sites from the log. The key of a site is the mark (a unique text) of its first deploy. */
export async function recordedSites(
  pool: Pool,
  slugs: readonly string[],
  people: ReadonlyMap<string, Person>,
): Promise<ReadonlyMap<string, RecordedSite>> {
  const { rows } = await pool.query<Row>(
    `select stream, type, data::jsonb as data from events where stream in (
       select stream from events where type = 'SiteCreated' and data::jsonb->>'slug' = any($1)
     ) order by position`,
    [slugs],
  );
  const streams = Map.groupBy(rows, ({ stream }) => stream);
  return new Map([...streams].map(([stream, events]) => told(stream, events, people)).map((each) => [each.key, each]));
}

/** Returns the last position of the log. A read with this position returns nothing older. */
export async function positionOf(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ position: string }>('select max(position)::text as position from events');
  return rows[0]?.position ?? '0';
}

function told(stream: string, events: readonly Row[], people: ReadonlyMap<string, Person>): RecordedSite {
  const deploys: { readonly deployId: string; readonly mark: string }[] = [];
  /** Marks (unique texts) of deploys by jobs, by job ID. A job's mark is the name of its repository. */
  const marksOfJobs = new Map<unknown, string>();
  const memberIds = new Map<Person, string>();
  const passwordIds: string[] = [];
  const tokenIds: string[] = [];
  const members = new Map<string, Person>();
  const personOf = (data: Record<string, unknown>) => people.get(String(data.userId)) ?? 'ann';
  const lines = events.map(({ type, data }) => {
    switch (type) {
      case 'SiteCreated':
        return `SiteCreated ${data.slug}`;
      case 'SiteJobQueued': {
        const { url } = data.source as { url: string };
        marksOfJobs.set(data.jobId, url.slice(url.lastIndexOf('/') + 1).replace(/\.git$/, ''));
        return type;
      }
      case 'SiteDeployed':
      case 'SiteStaged': {
        const mark = marksOfJobs.get(data.jobId) ?? String(data.message);
        deploys.push({ deployId: String(data.deployId), mark });
        return `${type} ${data.number} ${mark}`;
      }
      case 'SiteRolledBack':
        return `${type} ${deploys.findIndex(({ deployId }) => deployId === data.deployId) + 1}`;
      case 'SiteDescribed':
        return `${type} ${data.title}`;
      case 'SiteAccessSet':
        if (data.passwordId === null) return `${type} ${data.visibility}`;
        if (!passwordIds.includes(String(data.passwordId))) passwordIds.push(String(data.passwordId));
        return `${type} ${data.visibility} ${passwordIds.indexOf(String(data.passwordId)) + 1}`;
      case 'AccessTokenIssued':
        tokenIds.push(String(data.tokenId));
        return `${type} ${members.get(String(data.memberId))} ${data.role}`;
      case 'AccessTokenRevoked':
        return `${type} ${tokenIds.indexOf(String(data.tokenId)) + 1}`;
      case 'SiteRenamed':
        return `${type} ${data.slug}`;
      case 'MemberAdded':
        memberIds.set(personOf(data), String(data.memberId));
        members.set(String(data.memberId), personOf(data));
        return `${type} ${personOf(data)} ${data.role}`;
      case 'MemberRoleChanged':
        return `${type} ${personOf(data)} ${data.role}`;
      case 'MemberRemoved':
        memberIds.delete(personOf(data));
        return `${type} ${personOf(data)}`;
      default:
        return type;
    }
  });
  return {
    key: deploys[0]?.mark ?? stream,
    stream,
    told: lines,
    types: events.map(({ type }) => type),
    deployIds: deploys.map(({ deployId }) => deployId),
    memberIds,
    tokenIds,
  };
}
