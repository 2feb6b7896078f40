/**
 * Matches media types that are worth compressing: all kinds of text, and other formats that are not already compressed.
 */
const COMPRESSIBLE =
  /^(?:text\/|application\/(?:javascript|json|xml|wasm|rtf|x-ndjson|x-sh|vnd\.ms-fontobject)|image\/(?:svg\+xml|bmp|x-icon|vnd\.microsoft\.icon)|font\/(?:ttf|otf|collection))|\+(?:json|xml)(?:;|$)/;

/** Minimum size for compression. A smaller response fits into a single packet even without it. */
const FROM = 1_024;
/** Maximum size for compression, which needs all of the content in memory. Larger content is streamed uncompressed. */
const UP_TO = 8 * 1_024 * 1_024;

export const isCompressible = (type: string, size: number) => size >= FROM && size <= UP_TO && COMPRESSIBLE.test(type);
