/** All kinds of text, and other formats that are not already compressed. */
const COMPRESSIBLE =
  /^(?:text\/|application\/(?:javascript|json|xml|wasm|rtf|x-ndjson|x-sh|vnd\.ms-fontobject)|image\/(?:svg\+xml|bmp|x-icon|vnd\.microsoft\.icon)|font\/(?:ttf|otf|collection))|\+(?:json|xml)(?:;|$)/;

/** A smaller response fits into a single packet with or without compression. */
const FROM = 1_024;
/** Larger content is streamed uncompressed, because compression needs all of it in memory. */
const UP_TO = 8 * 1_024 * 1_024;

export const isCompressible = (type: string, size: number) => size >= FROM && size <= UP_TO && COMPRESSIBLE.test(type);
