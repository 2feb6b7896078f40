import type { Client } from 'pg';
import { product } from '../product.ts';

const { allReadModels } = await product('projections/read-models.js');
const { ofVersion } = await product('projections/table-names.js');

/** The three read models in pure SQL, as a lower bound for a rebuild: tables, then rows, then keys and indexes. */
const fill = (schema: string) => [
  `insert into ${schema}.history
   select id, substr(stream, 6), revision, position, type, schema, at::timestamptz, actor, data, hash, previous_hash
   from events where stream like 'site-%' order by position`,
  `insert into ${schema}.sites
   with recorded as (
     select stream, max(at) as last_at, max(revision) as revision,
       coalesce(max((data::json ->> 'number')::integer) filter (where type = 'SiteDeployed'), 0) as deploys,
       bool_or(type = 'SiteClaimed') as claimed
     from events where stream like 'site-%' group by stream
   ), pointed as (
     select distinct on (stream) stream, data::json as data
     from events where type in ('SiteDeployed', 'SiteRolledBack') order by stream, revision desc
   ), shown as (
     select stream, floor(extract(epoch from at::timestamptz)) as second,
       row_number() over (partition by stream order by revision) as turn
     from events where type in ('SiteDeployed', 'SiteRolledBack')
   ), modified as (
     -- The time only grows, by a second at least with each change after the first: without the recursion.
     select stream, to_timestamp(max(case turn when 1 then second - 1 else second - turn + 1 end) + count(*)) as modified_at
     from shown group by stream
   ), made as (
     select stream, at, data::json as data from events where type = 'SiteCreated'
   )
   select substr(stream, 6), made.data ->> 'slug', '', '', 'index', 'public', null, '', '{}', 'live',
     case when claimed then null else made.data ->> 'editTokenHash' end,
     pointed.data ->> 'deployId', pointed.data ->> 'manifest', null, deploys, null, false, modified_at,
     made.at::timestamptz, last_at::timestamptz, revision
   from made join recorded using (stream) left join pointed using (stream) left join modified using (stream)`,
  `insert into ${schema}.memberships
   with recorded as (
     select position, stream, type, at, actor::json ->> 'id' as actor, data::json as data from events
     where type in ('SiteClaimed', 'MemberAdded', 'MemberRoleChanged', 'MemberRemoved', 'MemberInvited', 'InviteRevoked')
   ), changed as (
     select distinct on (data ->> 'memberId') data ->> 'memberId' as id, data ->> 'role' as role
     from recorded where type = 'MemberRoleChanged' order by data ->> 'memberId', position desc
   )
   select data ->> 'memberId', substr(stream, 6), 'member', data ->> 'userId',
     coalesce(changed.role, data ->> 'role', 'owner'), at::timestamptz, null, null
   from recorded left join changed on changed.id = data ->> 'memberId'
   where type in ('SiteClaimed', 'MemberAdded')
     and not exists (select from recorded gone where gone.type = 'MemberRemoved' and gone.data ->> 'memberId' = recorded.data ->> 'memberId')
   union all
   select data ->> 'inviteId', substr(stream, 6), 'invite', null, data ->> 'role', at::timestamptz, actor,
     (data ->> 'expiresAt')::timestamptz
   from recorded where type = 'MemberInvited'
     and not exists (select from recorded used where used.type in ('MemberAdded', 'InviteRevoked') and used.data ->> 'inviteId' = recorded.data ->> 'inviteId')`,
];

/** Table names in this benchmark and in the product, which has separate tables for each version. */
const MODELS = new Map([
  ['sites', 'site'],
  ['history', 'history'],
  ['memberships', 'membership'],
]);
const TABLES = [...MODELS.keys()];

function theirs(table: string): string {
  const model = allReadModels.find(({ name }) => name === MODELS.get(table));
  if (model === undefined) throw new Error(`There is no read model of ${table}.`);
  return ofVersion(table, model.version);
}

/** Creates empty tables like those of the product, with or without keys and indexes. */
export async function tables(client: Client, schema: string, complete: boolean): Promise<void> {
  await client.query(`drop schema if exists ${schema} cascade; create schema ${schema}`);
  for (const table of TABLES) {
    await client.query(
      `create table ${schema}.${table} (like public.${theirs(table)}${complete ? ' including indexes' : ''})`,
    );
  }
}

async function indexes(client: Client, schema: string): Promise<void> {
  await client.query("set maintenance_work_mem = '128MB'");
  const { rows } = await client.query(
    `select tablename, indexdef from pg_indexes where schemaname = 'public' and tablename = any($1)`,
    [TABLES.map(theirs)],
  );
  for (const { tablename, indexdef } of rows) {
    const table = TABLES.find((name) => theirs(name) === tablename);
    await client.query(indexdef.replace(/INDEX \S+ ON public\.\S+/, `INDEX ON ${schema}.${table}`));
  }
  for (const table of TABLES) await client.query(`analyze ${schema}.${table}`);
}

/** Builds the models, and returns the duration in milliseconds. */
export async function pureSql(client: Client): Promise<number> {
  const began = performance.now();
  await tables(client, 'pure', false);
  for (const statement of fill('pure')) await client.query(statement);
  await indexes(client, 'pure');
  return performance.now() - began;
}

/** Returns one digest over all rows of the three tables. */
export async function digestOf(client: Client, schema: string): Promise<string> {
  const parts: string[] = [];
  for (const table of TABLES) {
    const { rows } = await client.query<{ digest: string }>(
      `select count(*) || ':' || coalesce(sum(hashtextextended(t::text, 0)), 0) as digest from ${schema}.${schema === 'public' ? theirs(table) : table} t`,
    );
    parts.push(...rows.map(({ digest }) => digest));
  }
  return parts.join(' ');
}
