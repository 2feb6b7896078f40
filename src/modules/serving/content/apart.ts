/** Copies a string, because a substring or concatenation can keep the strings that it was made from in memory. */
export const apart = (text: string): string => Buffer.from(text).toString();
