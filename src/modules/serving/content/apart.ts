/** A copy of a text by itself: what is cut out of a longer one, or joined of such parts, keeps that in memory. */
export const apart = (text: string): string => Buffer.from(text).toString();
