/**
 * Copies a string. A substring or concatenation can keep the strings that it was made from in memory; the copy does
 * not.
 */
export const apart = (text: string): string => Buffer.from(text).toString();
