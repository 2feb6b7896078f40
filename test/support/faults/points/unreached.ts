/** Steps that no operation in `verbs/` reaches, and tests that make them fail. Each pattern must match a step. */
export type Unreached = {
  readonly steps: RegExp;
  readonly why: string;
  /** Set if a timer or another failure reaches the steps in some runs. Otherwise, they must never be reached. */
  readonly isSometimes?: true;
};

export const unreached: readonly Unreached[] = [
  {
    steps: /^src\/sandbox\/(?!cache\/|images\/|tools\/)/,
    why: 'Rooms in which foreign code runs: what is written there is for one process, and the next start removes it. test/builds and test/servers break them.',
  },
  {
    steps: /^src\/sandbox\/(cache|images|tools)\//,
    why: 'What is kept for builds, put in its place whole by a rename: without it, it is fetched again. test/builds breaks it.',
  },
  {
    steps: /^src\/storage\/postgres\/embedded\//,
    why: 'Before there is a database. test/faults/embedded-postgres.db-spec.ts breaks it.',
  },
  {
    steps:
      /^src\/(process\/start\/master-key\.ts (mkdir|open|file\.\w+|link|unlink)|storage\/blobs\/content-folder\.ts)|^(?!.*\/access-partitions\.ts).* create (table|…index|sequence)$|postgres\.schema\.ts create table #2$/,
    why: 'A first start: it is repeated whole by the next one.',
  },
  {
    steps:
      /^src\/(adapters\/git\/(git-repositories\.ts (mkdir|rm)$|missing-programs)|edge\/fast\/sendfile|content\/uploads\/spool\/spool-folder|storage\/blobs\/packs\/pack-folder\.ts mkdir$|projections\/projector\/(projector\.ts commit|checkpoints\.ts insert into checkpoints)$)|insert into (written_shapes|activity_checkpoints)$/,
    why: 'Every start: it is repeated whole by the next one.',
  },
  {
    steps:
      /^src\/accounts\/keys\/(master-key-change\.ts|audit-keys\.ts (commit|insert)|root-key\.ts insert)|master-key\.ts rename$/,
    why: 'A first start, and npm run secrets and audit-keys. test/faults/secrets.system-spec.ts and audit-files.system-spec.ts break them.',
  },
  {
    steps:
      /^src\/projections\/(rebuild|projector\/(dead-letters|log-identity))|read-model-table\.ts (create (table|…index) #2|copy …|alter (table|…)|delete from …( #3)?)$/,
    why: 'A rebuild, another log, a letter that cannot be applied. test/faults/rebuild.system-spec.ts and moving-log.system-spec.ts break them.',
  },
  {
    steps: /^src\/storage\/store\/(kurrent|postgres\/postgres\.log)/,
    why: 'Another store, and npm run events. test/faults/event-store-outages.system-spec.ts and moving-log.system-spec.ts break them.',
  },
  {
    steps:
      /^src\/storage\/store\/postgres\/postgres\.(engine\.ts delete from events|snapshots\.ts insert into snapshots)$/,
    why: 'Streams that are forgotten after 30 days, and states of hundreds of events. Losing either changes no answer.',
  },
  {
    steps:
      /^src\/storage\/blobs\/(collector\.ts|packs\/(pack-file\.ts file\.truncate|pack-folder\.ts (unlink( #2)?|file\.(datasync|truncate)))$|index\/(blob-index\.ts update (blobs( #2)?|packs #2)|pack-table\.ts (insert into packs #2|delete from packs|update packs))$)/,
    why: 'The collector, packs that are copied or could not be made, and content that is damaged or was there for a day. test/faults/packs breaks them.',
  },
  {
    steps: /^src\/modules\/servers\//,
    why: 'Programs of sites, which need a builder. test/servers breaks them.',
  },
  {
    steps:
      /^src\/modules\/(status\/(?!incidents\/)|traffic\/(roll-up\/tables\/|record\/tables\/(access-partitions|access-entries\.ts (insert into access_dropped|delete)|visitor-salts)))/,
    why: 'What is counted, by the minute, the hour or the day. test/faults/status.system-spec.ts and recording.system-spec.ts break it.',
    isSometimes: true,
  },
  {
    steps: /^src\/(storage\/cluster|modules\/certificates\/obtain\/certificate-requests|adapters\/tls)/,
    why: 'Other processes, and certificates. test/fleet breaks them.',
  },
  {
    steps: /^src\/edge\/http\/proxy\/node-server-connections/,
    why: 'Requests to site servers with STELE_FAST_PATH=off. test/http/programs breaks them.',
  },
  {
    steps: /^src\/adapters\/mail\/smtp/,
    why: 'A mail server in the place of the outbox. test/http/people/mail.http-spec.ts breaks it.',
  },
  {
    steps: /outbox\.engine\.ts (mkdir #2|writeFile|rm)$/,
    why: 'Whether the outbox can be written, asked by /readyz and the status. Its answer says so.',
    isSometimes: true,
  },
  {
    steps:
      / delete from (agent_artifacts #2|agent_clients #2|agent_grants #4|generations #2|idempotency #2|job_turns|invites #4|mailed_links #4|sessions #4|sign_in_attempts #2|terminal_sign_ins|used_tickets|access_tokens #3|site_activity #2|held_uploads #3|share_use|site_networks)$/,
    why: 'What is over is deleted by the hour. A row that is over counts as none, so nothing depends on when.',
  },
  {
    steps:
      /\/(domain-checks\.ts update domain_checks #5|job-queue\.ts update job_queue #3|idempotency-keys\.ts update idempotency #3|mailed-links\.ts update mailed_links #4|terminal-sign-ins\.ts update terminal_sign_ins #6)$/,
    why: 'Leases that a start ends: the statement is repeated by the next.',
  },
  {
    steps:
      /\/(domain-checks\.ts update domain_checks #4|mailed-links\.ts update mailed_links #3|terminal-sign-ins\.ts update terminal_sign_ins #3|reservation\.ts (delete from idempotency|update idempotency #2)|idempotency-keys\.ts update idempotency #2|generations\.ts update generations|job-queue\.ts update job_queue #2)$/,
    why: 'What was taken is given back, as the work with it failed or the service stops. Where that fails too the lease ends by itself.',
    isSometimes: true,
  },
  {
    steps:
      /\/(sessions\.ts update sessions|agent-grants\.ts update agent_grants|reservation\.ts update idempotency #3|idempotency-keys\.ts update idempotency|job-queue\.ts update job_queue|terminal-sign-ins\.ts update terminal_sign_ins #5)$/,
    why: 'After a day, an hour, twenty seconds or a second of use: when it was used last, and that it is in use still. Any later use says it again.',
    isSometimes: true,
  },
  {
    steps: /^src\/accounts\/shares\/unclaimed-content/,
    why: 'Content of unclaimed sites, which is not limited on the operator’s own machine. A row that is missing or too many is found by the next reconciliation: src/accounts/shares/shares.db-spec.ts.',
  },
  {
    steps: /\/run-writers\.ts delete from run_writers$|\/work-leftovers\.ts delete from connector_work$/,
    why: 'Runs and work that are forgotten after 30 days, each after its stream: it is begun anew until both are gone.',
  },
  {
    steps: /\/connector-tokens\.ts (delete from connector_tokens #3|update connector_tokens #2)$/,
    why: 'Tokens of a site that is gone, which hold nothing, and when an agent asked last, which is written down by the minute.',
    isSometimes: true,
  },
  {
    steps: /\/connector-tokens\.ts update connector_tokens$/,
    why: 'An upgrade: it continues with the next start. src/modules/sites/settings/connector/token-owners.db-spec.ts has one.',
  },
  {
    steps: /\/work-queue\.ts (insert into|update|delete from) connector_work( #\d)?$|\/work-queue\.ts commit$/,
    why: 'Work of events in another store, a line that is full, and agents that are gone. src/modules/connector/api/work-queue.db-spec.ts and test/http/connector break them.',
    isSometimes: true,
  },
  {
    steps: /\/work-with-events\.ts update connector_work #2$|\/grouped-statements\.ts commit$/,
    why: 'Steps of work that come within milliseconds of each other, as with an agent that has asked at once ten times. test/http/connector/eager-agents.http-spec.ts has one, and src/modules/connector/queue/work-with-events.db-spec.ts sees that all of it is done or nothing.',
    isSometimes: true,
  },
];

/** Steps that operations reach so rarely that a fault may wait for them in vain. */
export const notMet: readonly Unreached[] = [];
