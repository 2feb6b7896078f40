import { openDatabase } from '../../../src/storage/postgres/open-database.js';
import { temporaryFolder } from '../service/stele.js';
import { unpack } from './fixture.js';

/** The commits whose data is kept, the oldest first; `npm run upgrade-fixture` makes one. */
const earlierVersions = ['437d5ef', 'eb2eb8a', '3684864', '5441183'];

/** `npm run upgrades` tries all of them, `npm test` the oldest and the newest. */
export const earlierVersionsToTry =
  process.env.STELE_TEST_UPGRADES === 'all' ? earlierVersions : [earlierVersions[0], earlierVersions.at(-1)];

/**
 * Moves every time in the tables as far as it is since the fixture was packed, so that what lasts a week or a day lasts
 * as long as it would have had the upgrade come at once. The log stays: its times are hashed. So do tables of a partition
 * for each day, whose rows would have to be in another one.
 */
const asIfJustNow = (ms: number) => `
do $$
declare
  kept record;
begin
  for kept in
    select table_name, column_name from information_schema.columns
    join pg_class c on c.relname = table_name and c.relnamespace = 'public'::regnamespace
    where table_schema = 'public' and data_type like 'timestamp%' and table_name <> 'events'
      and c.relkind = 'r' and not c.relispartition
  loop
    execute format('update %I set %I = %I + $1', kept.table_name, kept.column_name, kept.column_name)
      using interval '${ms} milliseconds';
  end loop;
end $$`;

const LAST_EVENT = 'select extract(epoch from now() - max(recorded_at)) * 1000 as ms from events';

/** The data folder of an earlier version, as it was when that was stopped a moment ago, and what it was used for. */
export async function earlierData(commit = '') {
  const temporary = await temporaryFolder('upgrade');
  const story = await unpack(commit, temporary.folder);
  const [elapsed] = await onEmbedded(temporary.folder, LAST_EVENT);
  const movedMs = Math.round(Number(elapsed?.ms));
  await onEmbedded(temporary.folder, asIfJustNow(movedMs));
  return { ...temporary, story, movedMs };
}

/** Runs SQL on the database of a data folder that no service uses. */
export async function onEmbedded(dataFolder: string, sql: string): Promise<Record<string, unknown>[]> {
  const log = () => undefined;
  const database = await openDatabase({ url: null, dataFolder, announce: 'a test', log });
  try {
    return (await database.pool.query(sql)).rows;
  } finally {
    await database.close();
  }
}
