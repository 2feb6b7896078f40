/** An edit token as they are made, of no site: its holder may do nothing that a stranger may not. */
export const strangerToken = `stele_edit_${'7'.repeat(49)}`;
