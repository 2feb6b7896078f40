/** The site that the service publishes anew each minute, to see that it can. It is at `probeSlug`, which no caller may have. */
export abstract class ProbeSite {
  /**
   * Makes sure that it is there, and answers the revision at which its history stands. Each day it is another one, so
   * that none has a long history. `at` is RFC 3339.
   */
  abstract open(at: string): Promise<{ readonly revision: number }>;
}
