/** Converts a value to the text format of its column. Throws if no column type can store the value. */
export function columnText(value: unknown): string | null {
  switch (typeof value) {
    case 'string':
      return value;
    case 'boolean':
      return value ? 't' : 'f';
    case 'undefined':
      return null;
    case 'object':
      if (value === null) return null;
      // An invalid date is not an error here, because the database rejects it with an error that identifies the row.
      if (value instanceof Date) return Number.isNaN(value.getTime()) ? String(value) : value.toISOString();
      throw new TypeError('A column value must be a string, number, boolean or date.');
    default:
      return String(value);
  }
}
