/**
 * What a run may be called (docs/interface.md, "Runs of the command line"): made by whoever tells of it, and as good as
 * unguessable.
 */
export const runIdPattern = /^run_[0-9a-z]{26}$/;
