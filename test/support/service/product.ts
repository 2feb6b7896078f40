import { pathToFileURL } from 'node:url';

/** The product as it was built (`npm run build`), or the folder that STELE_DIST names. */
export const built = process.env.STELE_DIST
  ? pathToFileURL(`${process.env.STELE_DIST}/`)
  : new URL('../../../dist/', import.meta.url);

/** The built modules that benches and hooks of tests load, with the types of their sources. */
type ProductModules = {
  'adapters/random-ids.js': typeof import('../../../src/adapters/random-ids.js');
  'blobs/blob-store.js': typeof import('../../../src/blobs/blob-store.js');
  'blobs/coalesce.js': typeof import('../../../src/blobs/coalesce.js');
  'blobs/manifest.js': typeof import('../../../src/blobs/manifest.js');
  'builders/bubblewrap/bubblewrap.engine.js': typeof import('../../../src/builders/bubblewrap/bubblewrap.engine.js');
  'builders/egress/hosts.js': typeof import('../../../src/builders/egress/hosts.js');
  'builders/sandbox-builder.js': typeof import('../../../src/builders/sandbox-builder.js');
  'events/catalogue.js': typeof import('../../../src/events/catalogue.js');
  'events/domain.events.js': typeof import('../../../src/events/domain.events.js');
  'events/event-type.js': typeof import('../../../src/events/event-type.js');
  'events/site/member.events.js': typeof import('../../../src/events/site/member.events.js');
  'events/site/site.events.js': typeof import('../../../src/events/site/site.events.js');
  'events/slug.events.js': typeof import('../../../src/events/slug.events.js');
  'kernel/event-store.js': typeof import('../../../src/kernel/event-store.js');
  'kernel/faults/background-task.js': typeof import('../../../src/kernel/faults/background-task.js');
  'kernel/ports/serving-status.js': typeof import('../../../src/kernel/ports/serving-status.js');
  'kernel/ports/site-servers.js': typeof import('../../../src/kernel/ports/site-servers.js');
  'kernel/refusal.js': typeof import('../../../src/kernel/refusal.js');
  'kernel/transactions.js': typeof import('../../../src/kernel/transactions.js');
  /** Starts the service when it is loaded. */
  'main.js': object;
  'modules/agents/mcp/agent-server.js': typeof import('../../../src/modules/agents/mcp/agent-server.js');
  'modules/connector/at-once.js': typeof import('../../../src/modules/connector/at-once.js');
  'modules/connector/poll/next-work.js': typeof import('../../../src/modules/connector/poll/next-work.js');
  'modules/serving/rules/resolve.js': typeof import('../../../src/modules/serving/rules/resolve.js');
  'modules/serving/rules/site-rules.js': typeof import('../../../src/modules/serving/rules/site-rules.js');
  'modules/serving/rules/with-chosen-headers.js': typeof import('../../../src/modules/serving/rules/with-chosen-headers.js');
  'modules/sites/deploy/publish.decide.js': typeof import('../../../src/modules/sites/deploy/publish.decide.js');
  'modules/sites/site/site.state.js': typeof import('../../../src/modules/sites/site/site.state.js');
  'postgres/embedded/embedded-postgres.js': typeof import('../../../src/postgres/embedded/embedded-postgres.js');
  'process/providers/process.module.js': typeof import('../../../src/process/providers/process.module.js');
  'projections/projector/checkpoints.js': typeof import('../../../src/projections/projector/checkpoints.js');
  'projections/projector/projector.js': typeof import('../../../src/projections/projector/projector.js');
  'projections/read-models.js': typeof import('../../../src/projections/read-models.js');
  'projections/rebuild/rebuilder.js': typeof import('../../../src/projections/rebuild/rebuilder.js');
  'projections/table-names.js': typeof import('../../../src/projections/table-names.js');
  'sitefiles/headers-file.js': typeof import('../../../src/sitefiles/headers-file.js');
  'sitefiles/read-site-file.js': typeof import('../../../src/sitefiles/read-site-file.js');
  'sitefiles/redirect-index.js': typeof import('../../../src/sitefiles/redirect-index.js');
  'sitefiles/redirects-file.js': typeof import('../../../src/sitefiles/redirects-file.js');
  'sitefiles/site-file-limits.js': typeof import('../../../src/sitefiles/site-file-limits.js');
  'store/postgres/postgres.engine.js': typeof import('../../../src/store/postgres/postgres.engine.js');
  'store/postgres/postgres.schema.js': typeof import('../../../src/store/postgres/postgres.schema.js');
  'store/postgres/postgres.snapshots.js': typeof import('../../../src/store/postgres/postgres.snapshots.js');
  'store/stored-event.js': typeof import('../../../src/store/stored-event.js');
};

/** Loads a module of the built product. */
export const product = <Path extends keyof ProductModules>(path: Path): Promise<ProductModules[Path]> =>
  import(new URL(path, built).href);
