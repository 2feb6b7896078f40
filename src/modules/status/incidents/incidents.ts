import type { Pool } from 'pg';
import { awaitDatabase } from '../../../storage/postgres/database-fault.js';
import type { Table } from '../../../storage/tables/table.js';

export type IncidentStatus = 'investigating' | 'identified' | 'monitoring' | 'resolved';

export type IncidentUpdate = {
  readonly at: Date;
  readonly status: IncidentStatus;
  /** Text of the update in Markdown. */
  readonly body: string;
};

export type Incident = {
  readonly id: string;
  readonly title: string;
  readonly components: readonly string[];
  readonly status: IncidentStatus;
  readonly createdAt: Date;
  /** Updates to the incident, newest first. The last one is the original report. */
  readonly updates: readonly IncidentUpdate[];
};

export type NewIncident = Pick<Incident, 'id' | 'title' | 'components' | 'status'> & { readonly body: string };

/** A change to an incident. Fields that are null keep their value. */
export type IncidentChange = {
  readonly body: string;
  readonly status: IncidentStatus | null;
  readonly title: string | null;
  readonly components: readonly string[] | null;
};

const SCHEMA = `
create table if not exists incidents (
  id         text primary key,
  title      text not null,
  components text[] not null,
  status     text not null,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
create index if not exists incidents_by_update on incidents (updated_at);
create table if not exists incident_updates (
  id          bigint generated always as identity primary key,
  incident_id text not null references incidents (id) on delete cascade,
  at          timestamptz not null default clock_timestamp(),
  status      text not null,
  body        text not null
);
create index if not exists incident_updates_of_incident on incident_updates (incident_id, id);
`;

const BEGIN = `
with incident as (insert into incidents (id, title, components, status) values ($1, $2, $3, $4) returning id, created_at)
insert into incident_updates (incident_id, at, status, body) select id, created_at, $4, $5 from incident`;

const UPDATE = `
with incident as (
  update incidents set status = coalesce($3, status), title = coalesce($4, title), components = coalesce($5, components),
    updated_at = clock_timestamp()
  where id = $1 returning id, status, updated_at)
insert into incident_updates (incident_id, at, status, body) select id, updated_at, status, $2 from incident`;

const SELECT = `
select id, title, components, status, created_at as "createdAt",
  (select json_agg(json_build_object('at', at, 'status', status, 'body', body) order by id desc)
   from incident_updates where incident_id = incidents.id) as updates
from incidents`;

type IncidentRow = Omit<Incident, 'updates'> & {
  readonly updates: readonly { readonly at: string; readonly status: IncidentStatus; readonly body: string }[];
};

/** Stores incidents. They are never deleted, because they document the history of the service. */
export class IncidentStore {
  constructor(private readonly pool: Pool) {}

  async begin({ id, title, components, status, body }: NewIncident): Promise<void> {
    await awaitDatabase(this.pool.query(BEGIN, [id, title, components, status, body]));
  }

  /** Updates an incident. Returns false if it does not exist. */
  async update(id: string, { body, status, title, components }: IncidentChange): Promise<boolean> {
    const { rowCount } = await awaitDatabase(this.pool.query(UPDATE, [id, body, status, title, components]));
    return rowCount === 1;
  }

  async find(id: string): Promise<Incident | null> {
    const [incident] = await this.#select(`${SELECT} where id = $1`, [id]);
    return incident ?? null;
  }

  async list({ skip, take }: { readonly skip: number; readonly take: number }) {
    const [items, { rows }] = await Promise.all([
      this.#select(`${SELECT} order by created_at desc, id desc offset $1 limit $2`, [skip, take]),
      awaitDatabase(this.pool.query<{ total: number }>('select count(*)::int as total from incidents')),
    ]);
    return { items, total: rows[0]?.total ?? 0 };
  }

  /** Returns the open incidents and those updated in the last ninety days, newest first, but no more than a hundred. */
  async recent(): Promise<readonly Incident[]> {
    const isRecent = "status <> 'resolved' or updated_at > now() - interval '90 days'";
    return this.#select(`${SELECT} where ${isRecent} order by created_at desc, id desc limit 100`, []);
  }

  async #select(text: string, values: readonly unknown[]): Promise<Incident[]> {
    const { rows } = await awaitDatabase(this.pool.query<IncidentRow>(text, [...values]));
    return rows.map((row) => ({ ...row, updates: row.updates.map((each) => ({ ...each, at: new Date(each.at) })) }));
  }
}

export const incidentsTable: Table<IncidentStore> = {
  name: 'incidents',
  lock: 'stele incidents schema',
  schema: SCHEMA,
  access: IncidentStore,
  open: ({ pool }) => new IncidentStore(pool),
};
