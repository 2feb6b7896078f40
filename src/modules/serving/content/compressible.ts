/** Text in all its kinds, and the formats whose bytes are not compressed already. */
const COMPRESSIBLE =
  /^(?:text\/|application\/(?:javascript|json|xml|wasm|rtf|x-ndjson|x-sh|vnd\.ms-fontobject)|image\/(?:svg\+xml|bmp|x-icon|vnd\.microsoft\.icon)|font\/(?:ttf|otf|collection))|\+(?:json|xml)(?:;|$)/;

/** Below, an answer is one packet whether or not it is compressed. Bytes. */
const FROM = 1_024;
/** What is larger is streamed as it is: while it is compressed it is whole in memory. Bytes. */
const UP_TO = 8 * 1_024 * 1_024;

/** Whether content of this type and size is offered compressed. */
export const isCompressible = (type: string, size: number) => size >= FROM && size <= UP_TO && COMPRESSIBLE.test(type);
