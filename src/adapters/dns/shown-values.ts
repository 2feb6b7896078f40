const MAX_VALUES = 10;
const MAX_VALUE_CHARACTERS = 255;

/** Limits DNS values, which strangers can choose, to a few short strings of printable ASCII for display. */
export const formatValueList = (values: readonly string[]): string[] =>
  values.length <= MAX_VALUES
    ? values.map(formatValue)
    : [...values.slice(0, MAX_VALUES).map(formatValue), `and ${values.length - MAX_VALUES} more`];

export const formatValue = (value: string): string => {
  const printable = value.slice(0, MAX_VALUE_CHARACTERS).replace(/[^ -~]/g, '\ufffd');
  return value.length > MAX_VALUE_CHARACTERS ? `${printable}…` : printable;
};
