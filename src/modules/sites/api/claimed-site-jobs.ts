/** The jobs of a site at the moment when it is claimed. `modules/jobs` implements it, because `sites` imports no module. */
export abstract class ClaimedSiteJobs {
  /**
   * Stops the jobs that were started with the edit token of a site that was claimed at `position`. Returns their IDs,
   * oldest
   * first, and the same IDs when called again.
   */
  abstract stopAfterClaim(siteId: string, position: bigint): Promise<readonly string[]>;
}
