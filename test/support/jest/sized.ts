/** Returns the full size with `npm run long-tests` (STELE_TEST_SIZE=full), and otherwise a sample to save time. */
export const sized = (full: number, sample: number): number => (process.env.STELE_TEST_SIZE === 'full' ? full : sample);
