/** Returns `full` in `npm run long-tests` (STELE_TEST_SIZE=full). Otherwise, returns `sample` to save time. */
export const sized = (full: number, sample: number): number => (process.env.STELE_TEST_SIZE === 'full' ? full : sample);
