/** What a build is of. */
export type BuildOf = {
  readonly siteId: string;
  readonly jobId: string;
  /** How many rights to the site had ended (`JobRights.countEnded`). */
  readonly endedRights: number;
  /** Whether it receives secrets (docs/interface/repositories.md). */
  readonly isTrusted: boolean;
  readonly slug: string;
  /** Where the site will be. */
  readonly url: string;
  readonly commit: string;
  /** The site’s secrets, by name. */
  readonly secrets: ReadonlyMap<string, string>;
};

/** No tool asks, waits for a terminal, looks for another version of itself, tells of updates or of its users. */
const QUIET = {
  pnpm_config_pm_on_fail: 'ignore',
  FORCE_COLOR: '1',
  NO_UPDATE_NOTIFIER: '1',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
  NEXT_TELEMETRY_DISABLED: '1',
  ASTRO_TELEMETRY_DISABLED: '1',
  NUXT_TELEMETRY_DISABLED: '1',
  GATSBY_TELEMETRY_DISABLED: '1',
} as const;

/**
 * What the commands of a build find in their environment (docs/interface/repositories.md, "Builds"), beside what the
 * sandbox sets for itself. A secret never stands in the place of either; any other name it may have, `NODE_OPTIONS`
 * too.
 */
export function buildEnvironment({ slug, url, commit, secrets }: BuildOf): Readonly<Record<string, string>> {
  return { ...installEnvironment({ secrets }), STELE_SLUG: slug, STELE_COMMIT: commit, STELE_URL: url };
}

/** The part that is the same for every commit of a site. */
export function installEnvironment({ secrets }: Pick<BuildOf, 'secrets'>): Readonly<Record<string, string>> {
  return { ...QUIET, ...Object.fromEntries(secrets), CI: 'true', STELE: '1' };
}
