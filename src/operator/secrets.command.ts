import { changeMasterKey } from '../accounts/keys/master-key-change.js';
import { plural } from '../kernel/output/quantities.js';
import { adoptMasterKey, openMasterKey, prepareMasterKey } from '../process/start/master-key.js';
import { readSettings, type Settings } from '../settings/settings.js';
import { SettingsError } from '../settings/settings-fault.js';
import type { Database } from '../storage/postgres/open-database.js';
import { CommandStop } from './command-stop.js';

const USAGE = `npm run secrets -- rotate

  rotate   replaces the master key: encrypts all sites’ secrets and the service’s keys with a new one.
           Stop all processes of the service first. To finish an interrupted change, run the same command again.

           Without STELE_SECRET_KEY, a new key is created (or taken from STELE_SECRET_KEY_NEXT) and replaces the file
           master-key in the data folder. With it, STELE_SECRET_KEY is the current key and STELE_SECRET_KEY_NEXT the new
           one.

  0  changed
  1  not changed: the service is running, or there is a problem with the database or the key
  2  changed, but some values could not be decrypted with the old key and were left unchanged
  64 invalid arguments
`;

const stopping = new CommandStop({
  message: 'Interrupted. To finish the change, run the same command again.',
  waits: false,
});
const say = (message: string) => void process.stderr.write(`${message}\n`);

async function rotate(): Promise<number> {
  const settings = readSettings(process.env);
  const { dataFolder, secretKey, nextSecretKey, databaseUrl } = settings;
  if (secretKey && !nextSecretKey)
    throw new SettingsError(
      'STELE_SECRET_KEY is set, so STELE_SECRET_KEY_NEXT must be set to the new key: 32 bytes in base64, for example from `openssl rand -base64 32`.',
    );
  const database = await stopping.openDatabase({ url: databaseUrl, dataFolder, announce: 'npm run secrets', log: say });
  try {
    await assertStopped(database);
    const from = await openMasterKey(dataFolder, secretKey);
    const to = secretKey && nextSecretKey ? nextSecretKey : await prepareMasterKey(dataFolder, nextSecretKey);
    const { isNew, secrets, auditKeys, unreadable } = await changeMasterKey(database.pool, { from, to });
    if (!secretKey) await adoptMasterKey(dataFolder);
    say(
      isNew
        ? `Encrypted with the new key: ${plural(secrets, 'secret')}, ${plural(auditKeys, 'audit key')}.`
        : 'Everything was already encrypted with the new key.',
    );
    say(whereTheKeyIs(settings));
    if (unreadable > 0) say(`${plural(unreadable, 'value')} could not be decrypted with the old key. Left unchanged.`);
    return unreadable > 0 ? 2 : 0;
  } finally {
    await database.close();
  }
}

const whereTheKeyIs = ({ secretKey, databaseUrl, dataFolder }: Settings) =>
  `${
    secretKey
      ? 'Start the service with the new key as STELE_SECRET_KEY.'
      : `The new key is in ${dataFolder}/master-key.${databaseUrl === null ? '' : ' All processes on this database need it.'}`
  } Earlier backups need the old key.`;

/** Throws if the service is running on this database. (The embedded database never accepts a second process.) */
async function assertStopped({ pool }: Database) {
  const { rows } = await pool.query<{ others: number }>(
    `select count(*)::int as others from pg_stat_activity
     where datname = current_database() and application_name in ('stele', 'stele doorbell') and pid <> pg_backend_pid()`,
  );
  if (rows[0]?.others)
    throw new SettingsError('Stele is running on this database. Stop all its processes before you change the key.');
}

if (process.argv[2] === 'rotate') {
  rotate().then(
    (code) => {
      process.exitCode = code;
    },
    (error) => {
      const isFolders = error instanceof Error && error.name === 'FolderInUseError';
      say(error instanceof Error ? error.message : String(error));
      if (isFolders) say('The master key can only be changed while the service is stopped.');
      process.exitCode = 1;
    },
  );
} else {
  say(USAGE);
  process.exitCode = process.argv[2] === undefined || process.argv[2] === '--help' ? 0 : 64;
}
