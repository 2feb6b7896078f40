import { join } from 'node:path';
import { type Provider } from '@nestjs/common';
import { SpoolFolder } from '../../content/uploads/spool/spool-folder.js';
import { Outbox } from '../../kernel/ports/outside/mail.js';
import { PersonalDataStores } from '../../kernel/ports/personal-data-stores.js';
import { provide } from '../../nest/provide.js';
import { connectionOf } from '../../storage/postgres/connection-of.js';
import { tables } from '../../tables/tables.js';
import { SiteLogEntries } from '../../tables/traffic/site-log/site-log-entries.js';
import { SiteLogFeed } from '../../tables/traffic/site-log/site-log-feed.js';
import { ProcessContext } from '../context.js';
import { Engines } from '../engines.js';

/** What is kept beside the log, and may be erased. */
export function tableProviders(context: ProcessContext): Provider[] {
  const { settings } = context;
  const tableContext = { ...context, jobLeaseMs: settings.jobs.leaseMs };
  return [
    ...tables.map(({ access, open }) =>
      provide(access, [Engines], ({ logStatements: log }) => open({ ...tableContext, log })),
    ),
    provide(
      PersonalDataStores,
      [Outbox, ...tables.flatMap((table) => (table.keepsPersonalData ? [table.access] : []))],
      (...stores) => new PersonalDataStores(stores),
    ),
    provide(SiteLogEntries, [], () => new SiteLogEntries(context.pool, settings.traffic.accessKeptDays > 0)),
    provide(SiteLogFeed, [SiteLogEntries], (entries) => new SiteLogFeed(entries, connectionOf(context.pool))),
    { provide: SpoolFolder, useValue: new SpoolFolder(join(settings.dataFolder, 'incoming')) },
  ];
}
