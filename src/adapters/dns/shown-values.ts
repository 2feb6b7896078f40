const MAX_VALUES = 10;
const MAX_VALUE_CHARACTERS = 255;

/**
 * Prepares DNS values, which strangers can choose, for display: limits their number and length, and replaces everything
 * but printable ASCII.
 */
export const formatValueList = (values: readonly string[]): string[] =>
  values.length <= MAX_VALUES
    ? values.map(formatValue)
    : [...values.slice(0, MAX_VALUES).map(formatValue), `and ${values.length - MAX_VALUES} more`];

export const formatValue = (value: string): string => {
  const printable = value.slice(0, MAX_VALUE_CHARACTERS).replace(/[^ -~]/g, '\ufffd');
  return value.length > MAX_VALUE_CHARACTERS ? `${printable}…` : printable;
};
