/**
 * Files to mutate. By default, the specs of the same folder must detect the mutants. `same` lists lines whose mutants
 * are equivalent to the original and cannot be detected.
 */
export const places: { readonly file: string; readonly same?: readonly string[] }[] = [
  // Files with business rules.
  ...[
    'settings/access/set-access',
    'people/accept-invite/accept-invite',
    'settings/capabilities/capability',
    'people/claim/claim',
    'publish/delete/delete',
    'publish/deploy/publish',
    'publish/expire/expire',
    'people/invite/invite',
    'people/leave/leave',
    'people/members/members',
    'settings/rename/rename',
    'publish/rollback/rollback',
    'settings/secrets/secret',
    'publish/slugs/hold-slug',
    'publish/take-down/take-down',
    'people/tokens/token',
  ].map((name) => ({ file: `src/modules/sites/${name}.decide.ts` })),
  { file: 'src/modules/sites/site/assert-access.rule.ts' },
  { file: 'src/kernel/rights/delegation.ts' },
  // Files of the event store.
  { file: 'src/kernel/hashing/chain.ts' },
  { file: 'src/kernel/transactions.ts' },
  { file: 'src/kernel/folded-cache.ts' },
  { file: 'src/storage/store/postgres/head-cache.ts' },
  { file: 'src/storage/store/postgres/recent-appends.ts' },
  { file: 'src/storage/store/postgres/notify-throttle.ts' },
  // Files of event streams for clients.
  { file: 'src/edge/live/clients/cursor.ts' },
  { file: 'src/edge/live/clients/resume-point.ts' },
  { file: 'src/edge/live/clients/connection-quota.ts' },
  { file: 'src/edge/live/clients/heartbeats.ts' },
  // Files about access rights.
  { file: 'src/modules/serving/access/access-cookie-seals.ts' },
  { file: 'src/modules/serving/access/live-sessions.ts' },
  { file: 'src/modules/serving/access/path-on-site.ts' },
  { file: 'src/edge/http/auth/return-to.ts' },
  { file: 'src/edge/http/auth/secrets.ts' },
  { file: 'src/edge/http/limits/client-address.ts' },
  { file: 'src/edge/http/limits/take-rate.ts' },
  { file: 'src/edge/http/problems/refusal-log.ts' },
  { file: 'src/content/uploads/checks/site-path.ts' },
  { file: 'src/adapters/network/public-address.ts' },
];
