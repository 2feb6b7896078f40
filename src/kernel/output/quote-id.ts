/**
 * Quotes an ID from a request for an error message, up to 60 characters. Shortens a token to its prefix, because some
 * clients send a token instead of its ID.
 */
export const quoteId = (id: string): string => `“${id.replace(/^(stele_[a-z]+_).*/s, '$1…').slice(0, 60)}”`;
