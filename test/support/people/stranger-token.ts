/** A well-formed edit token that belongs to no site, so its holder has no more rights than a stranger. */
export const strangerToken = `stele_edit_${'7'.repeat(49)}`;
