const MOST = 10;
const LONGEST = 255;

/**
 * Prepares DNS values, which strangers write, for display: limits their number and length, and replaces all characters
 * outside of printable ASCII.
 */
export const shownValues = (values: readonly string[]): string[] =>
  values.length <= MOST
    ? values.map(shownValue)
    : [...values.slice(0, MOST).map(shownValue), `and ${values.length - MOST} more`];

export const shownValue = (value: string): string => {
  const printable = value.slice(0, LONGEST).replace(/[^ -~]/g, '\ufffd');
  return value.length > LONGEST ? `${printable}…` : printable;
};
