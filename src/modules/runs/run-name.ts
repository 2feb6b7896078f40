/**
 * The client that records a run generates its ID, which is practically impossible to guess (docs/interface/streams.md,
 * "Runs of the command line").
 */
export const runIdPattern = /^run_[0-9a-z]{26}$/;
