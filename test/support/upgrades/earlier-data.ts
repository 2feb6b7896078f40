import { openDatabase } from '../../../src/storage/postgres/open-database.js';
import { temporaryFolder } from '../service/stele.js';
import { unpack } from './fixture.js';

/** Commits whose data is stored, oldest first. `npm run upgrade-fixture` adds one. */
const earlierVersions = ['437d5ef', 'eb2eb8a', '3684864', '5441183'];

/** The versions to test: all of them in `npm run upgrades`, and only the oldest and the newest in `npm test`. */
export const earlierVersionsToTry =
  process.env.STELE_TEST_UPGRADES === 'all' ? earlierVersions : [earlierVersions[0], earlierVersions.at(-1)];

/**
 * Shifts every time in the tables by the age of the fixture, so that sessions and links expire as if the upgrade had
 * followed immediately. Does not shift times in the log, because they are hashed, or in tables with daily partitions,
 * whose rows would have to move.
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

/**
 * Returns the data folder of an earlier version, as if that version had just been stopped, and the recorded requests
 * and responses.
 */
export async function earlierData(commit = '') {
  const temporary = await temporaryFolder('upgrade');
  const story = await unpack(commit, temporary.folder);
  const [elapsed] = await onEmbedded(temporary.folder, LAST_EVENT);
  const movedMs = Math.round(Number(elapsed?.ms));
  await onEmbedded(temporary.folder, asIfJustNow(movedMs));
  return { ...temporary, story, movedMs };
}

/** Runs SQL on the database in a data folder that no service is using. */
export async function onEmbedded(dataFolder: string, sql: string): Promise<Record<string, unknown>[]> {
  const log = () => undefined;
  const database = await openDatabase({ url: null, dataFolder, announce: 'a test', log });
  try {
    return (await database.pool.query(sql)).rows;
  } finally {
    await database.close();
  }
}
