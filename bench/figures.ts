export const quantile = (numbers: readonly number[], share: number): number =>
  numbers.toSorted((one, other) => one - other)[Math.floor((numbers.length - 1) * share)] ?? Number.NaN;

export const median = (numbers: readonly number[]): number =>
  numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? Number.NaN;

/** Returns the median ratio over all rounds, because other load slows both contestants of a round. */
export const ratioOf = (ours: readonly number[], theirs: readonly number[]): number =>
  median(ours.map((figure, round) => figure / (theirs[round] ?? Number.NaN)));

/** Records whether every target was met. `verdict` returns the text to print after a figure. */
export class Targets {
  areMet = true;

  verdict = (isMet: boolean): string => {
    this.areMet &&= isMet;
    return isMet ? '' : '  MISSED';
  };
}
