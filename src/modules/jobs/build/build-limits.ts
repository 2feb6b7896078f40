/** Disk space of a build for the work tree, dependencies, output and temporary files: four times the largest deploy. */
export const DISK_BYTES = 4 * 1_073_741_824;
export const DISK_FILES = 400_000;
export const PROCESSES = 1_024;
