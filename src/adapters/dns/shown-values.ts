const MOST = 10;
const LONGEST = 255;

/** What strangers wrote into DNS, for people to read: so few and so short, in characters that nothing can hide in. */
export const shownValues = (values: readonly string[]): string[] =>
  values.length <= MOST
    ? values.map(shownValue)
    : [...values.slice(0, MOST).map(shownValue), `and ${values.length - MOST} more`];

export const shownValue = (value: string): string => {
  const printable = value.slice(0, LONGEST).replace(/[^ -~]/g, '\ufffd');
  return value.length > LONGEST ? `${printable}…` : printable;
};
