/** A value of a row as PostgreSQL reads it for its column; null for none. Throws for what no column takes. */
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
      // A time that is none is for the database to refuse, which says of which row it is.
      if (value instanceof Date) return Number.isNaN(value.getTime()) ? String(value) : value.toISOString();
      throw new TypeError('A column value must be a string, number, boolean or date.');
    default:
      return String(value);
  }
}
