/**
 * What a run may be called (docs/interface/streams.md, "Runs of the command line"): made by the client that records it,
 * and as good as unguessable.
 */
export const runIdPattern = /^run_[0-9a-z]{26}$/;
