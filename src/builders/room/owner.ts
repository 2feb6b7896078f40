import type { Owner } from '../workspace/disk.js';

export const isRoot = () => process.getuid?.() === 0;

/** Who builds are, where we may become somebody else: nobody that a machine knows. */
export const OWNER: Owner = { uid: 64_731, gid: 64_731 };
