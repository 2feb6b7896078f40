/** A well-formed edit token of no site: its holder has the rights of a stranger. */
export const strangerToken = `stele_edit_${'7'.repeat(49)}`;
