/** Stops jobs when a site is claimed. Implemented by `modules/jobs`, because `sites` imports no other module. */
export abstract class ClaimedSiteJobs {
  /**
   * Stops the jobs that were started with the edit token before the site was claimed at `position`. Returns their IDs,
   * oldest first. Repeated calls return the same IDs.
   */
  abstract stopAfterClaim(siteId: string, position: bigint): Promise<readonly string[]>;
}
