/**
 * Format of a run ID (docs/interface/streams.md, "Runs of the command line"). The client that records the run generates
 * it, and it is practically impossible to guess.
 */
export const runIdPattern = /^run_[0-9a-z]{26}$/;
