import { Inject, Injectable } from '@nestjs/common';
import { SpoolFolder } from '../../content/uploads/spool/spool-folder.js';
import { type Service } from '../../nest/lifecycle.js';
import { joinContentFolder } from '../../storage/blobs/content-folder.js';
import { WorkQueue } from '../../tables/connector/work-queue.js';
import { startTable } from '../../tables/table.js';
import { tables } from '../../tables/tables.js';
import { ProcessContext } from '../context.js';
import { Engines } from '../engines.js';

/** What is kept beside the log: tables, and the content of sites. */
@Injectable()
export class StorageServices {
  constructor(
    @Inject(ProcessContext) private readonly context: ProcessContext,
    @Inject(Engines) private readonly engines: Engines,
    @Inject(SpoolFolder) private readonly spoolFolder: SpoolFolder,
    @Inject(WorkQueue) private readonly workQueue: WorkQueue,
  ) {}

  list(): Service[] {
    const { settings, pool } = this.context;
    const { blobs } = this.engines;
    const isAlone = settings.databaseUrl === null;
    return [
      {
        name: 'content folder',
        start: async () => {
          if (!isAlone) await joinContentFolder(pool, settings.dataFolder);
        },
      },
      ...tables.map((table) => ({
        name: table.name,
        start: (signal: AbortSignal) => startTable(table, { pool, isAlone, signal }),
      })),
      { name: 'connector work queue', start: async () => undefined, stop: () => this.workQueue.close() },
      { name: 'spool folder', start: () => this.spoolFolder.start() },
      { name: 'content', start: () => blobs.start(), stop: () => blobs.stop() },
    ];
  }
}
