import { AuditKeyStore } from '../accounts/keys/audit-keys.js';
import { openMasterKey } from '../process/start/master-key.js';
import { readSettings } from '../settings/settings.js';
import { CommandStop } from './command-stop.js';

const USAGE = `npm run audit-keys -- list | rotate

  list     lists the keys that sign checkpoints of site histories, newest first.
  rotate   creates a new key. The public part of the previous key stays published; its private part is deleted.
           With the embedded database, stop the service first.
`;

const stopping = new CommandStop({ message: 'Interrupted.', waits: false });
const say = (message: string) => void process.stderr.write(`${message}\n`);

async function withKeys(work: (keys: AuditKeyStore) => Promise<unknown>) {
  const settings = readSettings(process.env);
  const database = await stopping.openDatabase({
    url: settings.databaseUrl,
    dataFolder: settings.dataFolder,
    announce: 'npm run audit-keys',
    log: say,
  });
  try {
    const keys = new AuditKeyStore(database.pool, await openMasterKey(settings.dataFolder, settings.secretKey));
    await keys.ensureKey();
    await work(keys);
  } finally {
    await database.close();
  }
}

async function list(keys: AuditKeyStore) {
  for (const { kid, madeAt, retiredAt } of await keys.published()) {
    process.stdout.write(`${kid}  created ${madeAt}  ${retiredAt === null ? 'active' : `retired ${retiredAt}`}\n`);
  }
}

async function rotate(keys: AuditKeyStore) {
  await keys.rotate();
  await list(keys);
}

const commands = new Map([
  ['list', list],
  ['rotate', rotate],
]);

const command = commands.get(process.argv[2] ?? '');
if (command) {
  withKeys(command).catch((error) => {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  });
} else {
  say(USAGE);
  process.exitCode = process.argv[2] === undefined || process.argv[2] === '--help' ? 0 : 64;
}
