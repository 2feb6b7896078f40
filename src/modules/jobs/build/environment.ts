export type BuildOf = {
  readonly siteId: string;
  readonly jobId: string;
  /**
   * How many rights to deploy the site had ended when this build's environment was read (see
   * `JobRights.countEnded`). Builds with different counts do not share cached dependencies.
   */
  readonly endedRights: number;
  /** Whether the build receives secrets (docs/interface/repositories.md). */
  readonly isTrusted: boolean;
  readonly slug: string;
  readonly url: string;
  readonly commit: string;
  readonly secrets: ReadonlyMap<string, string>;
};

/**
 * Keeps tools from switching their version, running audits, checking for updates and sending telemetry. Enables
 * colours.
 */
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
 * Prevents packages from downloading binaries that builds don't need, from hosts that builds can't reach. The names
 * come from the documentation of these packages.
 */
const WITHOUT_BINARIES = {
  PUPPETEER_SKIP_DOWNLOAD: 'true',
  PUPPETEER_SKIP_CHROMIUM_DOWNLOAD: 'true',
  PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1',
  CYPRESS_INSTALL_BINARY: '0',
  ELECTRON_SKIP_BINARY_DOWNLOAD: '1',
  // Otherwise, Sharp would compile itself against this machine's libvips, with headers from nodejs.org.
  SHARP_IGNORE_GLOBAL_LIBVIPS: '1',
  SKIP_SASS_BINARY_DOWNLOAD_FOR_CI: '1',
  CHROMEDRIVER_SKIP_DOWNLOAD: 'true',
  GECKODRIVER_SKIP_DOWNLOAD: 'true',
  SENTRYCLI_SKIP_DOWNLOAD: '1',
  HUSKY: '0',
} as const;

/**
 * Limits the heap of Node to a part of the build’s memory. Otherwise, Node would derive its limit from the memory of
 * the machine, and would be killed without a message before it collects its garbage.
 */
export const nodeMemory = (bytes: number) => ({
  NODE_OPTIONS: `--max-old-space-size=${Math.floor((bytes * 0.8) / 1_048_576)}`,
});

/**
 * Returns the environment of build commands (docs/interface/repositories.md, "Builds"), without the sandbox’s own
 * variables. A secret can't override `CI`, `STELE*` or the sandbox’s variables, but can have any other name, even
 * `NODE_OPTIONS`.
 */
export function buildEnvironment({ slug, url, commit, secrets }: BuildOf): Readonly<Record<string, string>> {
  return { ...installEnvironment({ secrets }), STELE_SLUG: slug, STELE_COMMIT: commit, STELE_URL: url };
}

/** Returns the variables that are the same for every commit of a site. */
export function installEnvironment({ secrets }: Pick<BuildOf, 'secrets'>): Readonly<Record<string, string>> {
  return { ...QUIET, ...WITHOUT_BINARIES, ...Object.fromEntries(secrets), CI: 'true', STELE: '1' };
}
