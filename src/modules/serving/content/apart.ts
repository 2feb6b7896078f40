/** Copies a string. A substring or concatenation would keep the strings that it was made from in memory. */
export const apart = (text: string): string => Buffer.from(text).toString();
