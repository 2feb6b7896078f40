import { join } from 'node:path';
import { DiskPacks } from '../blobs/disk.engine.js';
import { openDatabase } from '../postgres/open-database.js';
import { readSettings } from '../settings.js';

const USAGE = `npm run content -- rebuild-index

  rebuild-index   makes the index of the packs again from the packs alone, after its table was lost.
                  Contents are read and their digests checked. Stop the service first.
`;

const say = (message: string) => void process.stderr.write(`${message}\n`);

async function rebuildIndex() {
  const settings = readSettings(process.env);
  const database = await openDatabase({
    url: settings.databaseUrl,
    dataFolder: settings.dataFolder,
    announce: 'npm run content',
    log: say,
  });
  try {
    const blobs = new DiskPacks(join(settings.dataFolder, 'packs'), database.pool);
    await blobs.start();
    const { packs, blobs: found, damaged } = await blobs.rebuildIndex();
    await blobs.stop();
    say(`${found} contents found in ${packs} packs${damaged > 0 ? `; ${damaged} are damaged and were left out` : ''}.`);
    if (damaged > 0) process.exitCode = 2;
  } finally {
    await database.close();
  }
}

if (process.argv[2] === 'rebuild-index') {
  rebuildIndex().catch((error) => {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  });
} else {
  say(USAGE);
  process.exitCode = process.argv[2] === undefined || process.argv[2] === '--help' ? 0 : 64;
}
