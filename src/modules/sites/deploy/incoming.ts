/** One file on its way in. `field` is where it stands in the request, for messages: `files[3]`. */
export type Incoming = {
  readonly path: string;
  readonly field: string;
  readonly content: Uint8Array | AsyncIterable<Uint8Array>;
};
