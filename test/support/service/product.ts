import { pathToFileURL } from 'node:url';

/** Folder of the built product (`npm run build`), or the folder that STELE_DIST names. */
export const built = process.env.STELE_DIST
  ? pathToFileURL(`${process.env.STELE_DIST}/`)
  : new URL('../../../dist/', import.meta.url);

/** Built modules that benchmarks and test hooks load, with the types of their sources. */
type ProductModules = {
  'adapters/random-ids.js': typeof import('../../../src/adapters/random-ids.js');
  'storage/blobs/blob-store.js': typeof import('../../../src/storage/blobs/blob-store.js');
  'storage/blobs/coalesce.js': typeof import('../../../src/storage/blobs/coalesce.js');
  'storage/blobs/manifest.js': typeof import('../../../src/storage/blobs/manifest.js');
  'sandbox/bubblewrap/bubblewrap.engine.js': typeof import('../../../src/sandbox/bubblewrap/bubblewrap.engine.js');
  'sandbox/egress/hosts.js': typeof import('../../../src/sandbox/egress/hosts.js');
  'sandbox/sandbox-builder.js': typeof import('../../../src/sandbox/sandbox-builder.js');
  'events/catalogue.js': typeof import('../../../src/events/catalogue.js');
  'events/domain.events.js': typeof import('../../../src/events/domain.events.js');
  'events/event-type.js': typeof import('../../../src/events/event-type.js');
  'events/site/member.events.js': typeof import('../../../src/events/site/member.events.js');
  'events/site/site.events.js': typeof import('../../../src/events/site/site.events.js');
  'events/slug.events.js': typeof import('../../../src/events/slug.events.js');
  'kernel/event-store.js': typeof import('../../../src/kernel/event-store.js');
  'kernel/faults/background-task.js': typeof import('../../../src/kernel/faults/background-task.js');
  'kernel/ports/serving-status.js': typeof import('../../../src/kernel/ports/serving-status.js');
  'kernel/refusal.js': typeof import('../../../src/kernel/refusal.js');
  'kernel/transactions.js': typeof import('../../../src/kernel/transactions.js');
  /** Importing this module starts the service. */
  'main.js': object;
  'modules/mcp/mcp/mcp-servers.js': typeof import('../../../src/modules/mcp/mcp/mcp-servers.js');
  'modules/connector/at-once.js': typeof import('../../../src/modules/connector/at-once.js');
  'modules/connector/poll/next-work.js': typeof import('../../../src/modules/connector/poll/next-work.js');
  'modules/servers/api/known-servers.js': typeof import('../../../src/modules/servers/api/known-servers.js');
  'modules/servers/servers.module.js': typeof import('../../../src/modules/servers/servers.module.js');
  'modules/serving/rules/resolve.js': typeof import('../../../src/modules/serving/rules/resolve.js');
  'modules/serving/rules/site-rules.js': typeof import('../../../src/modules/serving/rules/site-rules.js');
  'modules/serving/rules/with-chosen-headers.js': typeof import('../../../src/modules/serving/rules/with-chosen-headers.js');
  'modules/sites/publish/deploy/publish.decide.js': typeof import('../../../src/modules/sites/publish/deploy/publish.decide.js');
  'modules/sites/site/state/site.state.js': typeof import('../../../src/modules/sites/site/state/site.state.js');
  'storage/postgres/embedded/embedded-postgres.js': typeof import('../../../src/storage/postgres/embedded/embedded-postgres.js');
  'process/providers/process.module.js': typeof import('../../../src/process/providers/process.module.js');
  'projections/projector/checkpoints.js': typeof import('../../../src/projections/projector/checkpoints.js');
  'projections/projector/projector.js': typeof import('../../../src/projections/projector/projector.js');
  'projections/read-models.js': typeof import('../../../src/projections/read-models.js');
  'projections/rebuild/rebuilder.js': typeof import('../../../src/projections/rebuild/rebuilder.js');
  'projections/table-names.js': typeof import('../../../src/projections/table-names.js');
  'content/sitefiles/headers-file.js': typeof import('../../../src/content/sitefiles/headers-file.js');
  'content/sitefiles/read-site-file.js': typeof import('../../../src/content/sitefiles/read-site-file.js');
  'content/sitefiles/redirect-index.js': typeof import('../../../src/content/sitefiles/redirect-index.js');
  'content/sitefiles/redirects-file.js': typeof import('../../../src/content/sitefiles/redirects-file.js');
  'content/sitefiles/site-file-limits.js': typeof import('../../../src/content/sitefiles/site-file-limits.js');
  'storage/store/postgres/postgres.engine.js': typeof import('../../../src/storage/store/postgres/postgres.engine.js');
  'storage/store/postgres/postgres.schema.js': typeof import('../../../src/storage/store/postgres/postgres.schema.js');
  'storage/store/postgres/postgres.snapshots.js': typeof import('../../../src/storage/store/postgres/postgres.snapshots.js');
  'storage/store/stored-event.js': typeof import('../../../src/storage/store/stored-event.js');
};

export const product = <Path extends keyof ProductModules>(path: Path): Promise<ProductModules[Path]> =>
  import(new URL(path, built).href);
