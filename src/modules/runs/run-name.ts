/**
 * ID of a run. The client that records the run generates it, and it is practically impossible to guess
 * (docs/interface/streams.md, "Runs of the command line").
 */
export const runIdPattern = /^run_[0-9a-z]{26}$/;
