/** Stops jobs of a site that is claimed. Implemented by `modules/jobs`, because `sites` imports no other module. */
export abstract class ClaimedSiteJobs {
  /**
   * Stops the jobs that were started with the edit token of the site, which was claimed at `position`. Returns their
   * IDs, oldest first. Another call returns the same IDs.
   */
  abstract stopAfterClaim(siteId: string, position: bigint): Promise<readonly string[]>;
}
