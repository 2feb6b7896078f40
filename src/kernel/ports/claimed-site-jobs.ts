/** The jobs of a site at the time of its claim. */
export abstract class ClaimedSiteJobs {
  /**
   * Stops the jobs that were started with the edit token of a site that was claimed at `position`. Returns their IDs,
   * oldest
   * first, and the same IDs when called again.
   */
  abstract stopAfterClaim(siteId: string, position: bigint): Promise<readonly string[]>;
}
