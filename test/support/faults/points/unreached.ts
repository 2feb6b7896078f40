/** Steps that no verb of `verbs/` reaches, and what breaks them instead. Each pattern has to fit a step. */
export type Unreached = { readonly steps: RegExp; readonly why: string };

export const unreached: readonly Unreached[] = [
  {
    steps: /^src\/builders\//,
    why: 'Where foreign code runs: what is written there is for one process, and the next start removes it. test/builds breaks it.',
  },
  {
    steps: /^src\/postgres\/embedded\//,
    why: 'Before there is a database. test/faults/embedded-postgres.db-spec.ts breaks it.',
  },
  {
    steps: /^src\/process\/start\/|^src\/blobs\/content-folder|create table|create …index|create sequence/,
    why: 'A first start: it is repeated whole by the next one.',
  },
  {
    steps:
      /^src\/adapters\/git\/git-repositories\.ts (mkdir|rm)$|^src\/uploads\/spool\/spool-folder|insert into (written_shapes|activity_checkpoints)$/,
    why: 'A start: it is repeated whole by the next one.',
  },
  {
    steps: /^src\/tables\/keys\/(master-key-change|audit-keys|root-key)/,
    why: 'A first start, and npm run secrets and audit-keys. test/faults/secrets.fault-spec.ts and audit-files.fault-spec.ts break them.',
  },
  {
    steps:
      /^src\/projections\/(rebuild|projector\/(dead-letters|log-identity))|read-model-table\.ts (copy|alter|create|delete)|checkpoints\.ts insert/,
    why: 'A rebuild, another log, a letter that cannot be applied. test/faults/rebuild.fault-spec.ts and moving-log.fault-spec.ts break them.',
  },
  {
    steps: /^src\/projections\/projector\/projector\.ts commit$/,
    why: 'A read model that is made for the first time.',
  },
  {
    steps: /^src\/store\/(kurrent|postgres\/postgres\.log)/,
    why: 'Another store, and npm run events. test/faults/event-store-outages.fault-spec.ts and moving-log.fault-spec.ts break them.',
  },
  {
    steps: /^src\/store\/postgres\/postgres\.(engine\.ts delete|snapshots)/,
    why: 'Streams that are forgotten after 30 days, and states of hundreds of events. Losing either changes no answer.',
  },
  {
    steps:
      /^src\/blobs\/(collector|packs\/pack-folder|packs\/pack-file\.ts file\.truncate|index\/(blob-index\.ts update (blobs #2|packs #2)|blob-index\.ts (update blobs$|commit)|pack-table\.ts (insert into packs #2|delete|update)))/,
    why: 'The collector, packs that are copied, and content that is damaged. test/faults/packs breaks them.',
  },
  {
    steps: /^src\/tables\/servers\/|^src\/modules\/servers\//,
    why: 'Programs of sites, which need a builder. test/servers breaks them.',
  },
  {
    steps: /^src\/tables\/(status\/probe-results|traffic\/(roll-ups|access-|visitor-salts))|^src\/modules\/status\//,
    why: 'What is counted, which is not durable before it is written down. test/faults/status.fault-spec.ts and recording.fault-spec.ts break it.',
  },
  {
    steps: /^src\/cluster\/|^src\/tables\/certificate-requests|^src\/adapters\/tls\//,
    why: 'Other processes, and certificates. test/fleet breaks them.',
  },
  {
    steps:
      /^src\/adapters\/(mail\/smtp|sendfile|git\/missing-programs)|outbox\.engine\.ts (mkdir #2|writeFile$|rm|sendMail)/,
    why: 'A mail server in the place of the outbox, and what is found out at the start.',
  },
  {
    steps:
      / delete from (agent_artifacts #2|agent_clients #2|agent_grants #4|generations #2|idempotency #2|job_turns|invites #3|mailed_links #\d|sessions #2|sign_in_attempts #2|terminal_sign_ins|used_tickets|access_tokens #3|site_activity #2|held_uploads #3)$/,
    why: 'What is over is deleted by the hour. A row that is over counts as none, so nothing depends on when.',
  },
  {
    steps:
      /\.ts update (certificate_requests #3|domain_checks #4|job_queue #3|idempotency #3|mailed_links #\d|terminal_sign_ins #\d)$/,
    why: 'Leases that a start ends: the statement is repeated by the next.',
  },
  {
    steps:
      /^src\/tables\/connector\/work-leftovers|connector_tokens$|connector-tokens\.ts delete from connector_tokens #2|work-queue\.ts (insert|update|delete|commit)|grouped-statements\.ts commit/,
    why: 'Work that lay too long, many at once, and work of events in another database. test/http/connector and test/db break them.',
  },
  {
    steps:
      / (update access_tokens|update sessions|update agent_grants|update agent_clients|update idempotency|update idempotency #2|delete from run_writers|update terminal_sign_ins #3|delete from idempotency|update generations|insert into traffic_followed|update job_queue( #2)?)$/,
    why: 'Reached after an hour, a minute or a second of use, at a stop, or where the work itself failed.',
  },
];

/** Steps that verbs reach now and then, so seldom that a fault that waits for them need not meet them. */
export const notMet: readonly Unreached[] = [];
