import { join } from 'node:path';
import { plural } from '../kernel/output/quantities.js';
import { readSettings } from '../settings/settings.js';
import { DiskPacks } from '../storage/blobs/disk.engine.js';
import { CommandStop } from './command-stop.js';

const USAGE = `npm run content -- rebuild-index

  rebuild-index   rebuilds the index of the packs from the packs themselves, after its table was lost.
                  Reads all content and checks its digests. Stop the service first.
`;

const stopping = new CommandStop({ message: 'Interrupted. Run the same command again.', waits: false });
const say = (message: string) => void process.stderr.write(`${message}\n`);

async function rebuildIndex() {
  const settings = readSettings(process.env);
  const database = await stopping.openDatabase({
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
    const left = damaged > 0 ? `; skipped ${plural(damaged, 'damaged item')}` : '';
    say(`Indexed ${plural(found, 'item')} in ${plural(packs, 'pack')}${left}.`);
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
