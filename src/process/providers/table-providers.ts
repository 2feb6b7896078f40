import { join } from 'node:path';
import { type Provider } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { SpoolFolder } from '../../content/uploads/spool/spool-folder.js';
import { Outbox } from '../../kernel/ports/outside/mail.js';
import { PersonalDataRegistry } from '../../kernel/ports/personal-data-stores.js';
import { SiteLogEntries } from '../../modules/traffic/site-log/site-log-entries.js';
import { SiteLogFeed } from '../../modules/traffic/site-log/site-log-feed.js';
import { provide } from '../../nest/provide.js';
import { collectTables, keepsPersonalData } from '../../nest/tables.js';
import { copyConnectionOptions } from '../../storage/postgres/connection-options.js';
import { TableContext } from '../../storage/tables/table.js';
import { ProcessContext } from '../context.js';
import { Engines } from '../engines.js';

/** Provides the stores of erasable data, which is kept outside the event log. */
export function tableProviders(context: ProcessContext): Provider[] {
  const { settings } = context;
  return [
    provide(TableContext, [Engines], ({ logStatements: log }) => ({
      ...context,
      jobLeaseMs: settings.jobs.leaseMs,
      log,
    })),
    provide(PersonalDataRegistry, [Outbox, DiscoveryService], (outbox, discovery) => {
      const tables = () => collectTables(discovery).filter(keepsPersonalData);
      return new PersonalDataRegistry(() => [outbox, ...tables().map(({ access }) => access)]);
    }),
    provide(SiteLogEntries, [], () => new SiteLogEntries(context.pool, settings.traffic.accessKeptDays > 0)),
    provide(SiteLogFeed, [SiteLogEntries], (entries) => new SiteLogFeed(entries, copyConnectionOptions(context.pool))),
    { provide: SpoolFolder, useValue: new SpoolFolder(join(settings.dataFolder, 'incoming')) },
  ];
}
