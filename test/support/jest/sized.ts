/**
 * How much of something a long test uses: all of it with `npm run long-tests`, which sets STELE_TEST_SIZE=full, and a
 * sample in any other run, because the suite must stay short enough to be run before every change.
 */
export const sized = (full: number, sample: number): number => (process.env.STELE_TEST_SIZE === 'full' ? full : sample);
