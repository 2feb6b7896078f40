/**
 * Steps that no operation in `test/support/operations/` reaches, and tests that make them fail. Each pattern must match
 * a step.
 */
export type Unreached = {
  readonly steps: RegExp;
  readonly why: string;
  /** True if some runs reach the steps, because of a timer or another failure. Otherwise, no run may reach them. */
  readonly isSometimes?: true;
};

export const unreached: readonly Unreached[] = [
  {
    steps: /^src\/sandbox\/(?!cache\/|images\/|tools\/)/,
    why: 'Folders of sandboxes. Only one process uses them, and they are removed at the next start. Failures are tested in test/builds and test/servers.',
  },
  {
    steps: /^src\/sandbox\/(cache|images|tools)\//,
    why: 'Caches for builds. Entries are added atomically by a rename, and missing entries are fetched again. Failures are tested in test/builds.',
  },
  {
    steps: /^src\/storage\/postgres\/embedded\//,
    why: 'Steps before a database exists. Failures are tested in test/faults/embedded-postgres.db-spec.ts.',
  },
  {
    steps:
      /^src\/(process\/start\/master-key\.ts (mkdir|open|file\.\w+|link|unlink)|storage\/blobs\/content-folder\.ts)|^(?!.*\/access-partitions\.ts).* create (table|…index|sequence)$|postgres\.schema\.ts create table #2$/,
    why: 'Steps of the first start. If it fails, the next start repeats all of them.',
  },
  {
    steps:
      /^src\/(adapters\/git\/(git-repositories\.ts (mkdir|rm)$|missing-programs)|edge\/fast\/sendfile|content\/uploads\/spool\/spool-folder|storage\/blobs\/packs\/pack-folder\.ts mkdir$|projections\/projector\/(projector\.ts commit|checkpoints\.ts insert into checkpoints)$)|insert into (written_shapes|activity_checkpoints)$/,
    why: 'Steps of every start. If it fails, the next start repeats all of them.',
  },
  {
    steps:
      /^src\/accounts\/keys\/(master-key-change\.ts|audit-keys\.ts (commit|insert)|root-key\.ts insert)|master-key\.ts rename$/,
    why: 'Steps of the first start, of npm run secrets and of npm run audit-keys. Failures are tested in test/faults/secrets.system-spec.ts and audit-files.system-spec.ts.',
  },
  {
    steps:
      /^src\/projections\/(rebuild|projector\/(dead-letters|log-identity))|read-model-table\.ts (create (table|…index) #2|copy …|alter (table|…)|delete from …( #3)?)$/,
    why: 'Rebuilding a read model, switching to another log, and events that cannot be applied. Failures are tested in test/faults/rebuild.system-spec.ts and moving-log.system-spec.ts.',
  },
  {
    steps: /^src\/storage\/store\/(kurrent|postgres\/postgres\.log)/,
    why: 'Another event store, and npm run events. Failures are tested in test/faults/event-store-outages.system-spec.ts and moving-log.system-spec.ts.',
  },
  {
    steps:
      /^src\/storage\/store\/postgres\/postgres\.(engine\.ts delete from events|snapshots\.ts insert into snapshots)$/,
    why: 'Deleting streams after 30 days, and snapshots of states with hundreds of events. If either fails, responses stay the same.',
  },
  {
    steps:
      /^src\/storage\/blobs\/(collector\.ts|packs\/(pack-file\.ts file\.truncate|pack-folder\.ts (unlink( #2)?|file\.(datasync|truncate)))$|index\/(blob-index\.ts update (blobs( #2)?|packs #2)|pack-table\.ts (insert into packs #2|delete from packs|update packs))$)/,
    why: 'The collector, packs that are copied or could not be created, and content that is damaged or older than a day. Failures are tested in test/faults/packs.',
  },
  {
    steps: /^src\/modules\/servers\//,
    why: 'Servers of sites, which need a builder. Failures are tested in test/servers.',
  },
  {
    steps:
      /^src\/modules\/(status\/(?!incidents\/)|traffic\/(roll-up\/tables\/|record\/tables\/(access-partitions|access-entries\.ts (insert into access_dropped|delete)|visitor-salts)))/,
    why: 'Counts per minute, hour or day. Failures are tested in test/faults/status.system-spec.ts and recording.system-spec.ts.',
    isSometimes: true,
  },
  {
    steps: /^src\/(storage\/cluster|modules\/certificates\/obtain\/certificate-requests|adapters\/tls)/,
    why: 'Communication with other processes, and certificates. Failures are tested in test/fleet.',
  },
  {
    steps: /^src\/edge\/http\/proxy\/node-server-connections/,
    why: 'Requests to site servers with STELE_FAST_PATH=off. Failures are tested in test/http/servers.',
  },
  {
    steps: /^src\/adapters\/mail\/smtp/,
    why: 'A mail server instead of the outbox. Failures are tested in test/http/people/mail.http-spec.ts.',
  },
  {
    steps: /outbox\.engine\.ts (mkdir #2|writeFile|rm)$/,
    why: 'Checks by /readyz and the status page whether the outbox is writable. If a check fails, the response says so.',
    isSometimes: true,
  },
  {
    steps:
      / delete from (agent_artifacts #2|agent_clients #2|agent_grants #4|generations #2|idempotency #2|job_turns|invites #4|mailed_links #4|sessions #4|sign_in_attempts #2|terminal_sign_ins|used_tickets|access_tokens #3|site_activity #2|held_uploads #3|share_use|site_networks)$/,
    why: 'Expired rows are deleted once an hour. They are ignored in any case, so the time of their deletion does not matter.',
  },
  {
    steps:
      /\/(domain-checks\.ts update domain_checks #5|job-queue\.ts update job_queue #3|idempotency-keys\.ts update idempotency #3|mailed-links\.ts update mailed_links #4|terminal-sign-ins\.ts update terminal_sign_ins #6)$/,
    why: 'Leases that are ended at the start. The next start repeats the statement.',
  },
  {
    steps:
      /\/(domain-checks\.ts update domain_checks #4|mailed-links\.ts update mailed_links #3|terminal-sign-ins\.ts update terminal_sign_ins #3|reservation\.ts (delete from idempotency|update idempotency #2)|idempotency-keys\.ts update idempotency #2|generations\.ts update generations|job-queue\.ts update job_queue #2)$/,
    why: 'A lease is returned because its work failed or the service is stopping. If this fails too, the lease expires.',
    isSometimes: true,
  },
  {
    steps:
      /\/(sessions\.ts update sessions|oauth-grants\.ts update agent_grants|reservation\.ts update idempotency #3|idempotency-keys\.ts update idempotency|job-queue\.ts update job_queue|terminal-sign-ins\.ts update terminal_sign_ins #5)$/,
    why: 'The time of the last use, which is recorded after a second, twenty seconds, an hour or a day of use. Later use records it again.',
    isSometimes: true,
  },
  {
    steps: /^src\/accounts\/shares\/unclaimed-content/,
    why: 'Content of unclaimed sites, which is not limited on the operator’s own machine. The next reconciliation adds missing rows and removes extra ones (src/accounts/shares/shares.db-spec.ts).',
  },
  {
    steps: /\/run-writers\.ts delete from run_writers$|\/work-leftovers\.ts delete from connector_work$/,
    why: 'Runs and work that are deleted 30 days after their end, following their streams. The deletion is repeated until both are gone.',
  },
  {
    steps: /\/connector-tokens\.ts (delete from connector_tokens #3|update connector_tokens #2)$/,
    why: 'Tokens of a deleted site, which give no access, and the time of an agent’s last poll, which is recorded once a minute.',
    isSometimes: true,
  },
  {
    steps: /\/connector-tokens\.ts update connector_tokens$/,
    why: 'An upgrade, which continues at the next start. It is tested in src/modules/sites/settings/connector/token-owners.db-spec.ts.',
  },
  {
    steps: /\/work-queue\.ts (insert into|update|delete from) connector_work( #\d)?$|\/work-queue\.ts commit$/,
    why: 'Connector work if events are in another store, full queues, and agents that have disappeared. Failures are tested in src/modules/connector/api/work-queue.db-spec.ts and test/http/connector.',
    isSometimes: true,
  },
  {
    steps: /\/work-with-events\.ts update connector_work #2$|\/grouped-statements\.ts commit$/,
    why: 'Steps of work within milliseconds of each other, as for an agent that has polled immediately ten times. test/http/connector/eager-agents.http-spec.ts has such an agent, and src/modules/connector/queue/work-with-events.db-spec.ts checks that either all or none of the steps take effect.',
    isSometimes: true,
  },
];

/** Steps that operations reach so rarely that a test run may never inject a fault into them. */
export const notMet: readonly Unreached[] = [];
