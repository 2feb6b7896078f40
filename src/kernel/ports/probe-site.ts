/** The site that the service redeploys each minute as a self-test. Its slug, `probeSlug`, is reserved. */
export abstract class ProbeSite {
  /**
   * Creates the site unless it exists, and returns the revision of its stream. A new site is used each day, so that no
   * history grows long. `at` is RFC 3339.
   */
  abstract open(at: string): Promise<{ readonly revision: number }>;
}
