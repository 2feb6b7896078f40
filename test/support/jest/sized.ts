/**
 * Returns the full size with `npm run long-tests`, which sets STELE_TEST_SIZE=full, and otherwise a sample, so that the
 * suite is short enough to run before every change.
 */
export const sized = (full: number, sample: number): number => (process.env.STELE_TEST_SIZE === 'full' ? full : sample);
