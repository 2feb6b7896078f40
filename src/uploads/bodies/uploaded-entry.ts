/**
 * One thing that a deploy's body says, on its way in. `field` is where it stands in the request, for messages:
 * `files[3]`. Paths are as they were sent: nobody has looked at them yet.
 */
export type Incoming = { readonly path: string; readonly field: string } & (
  | {
      readonly content: Uint8Array | AsyncIterable<Uint8Array>;
      /** From an archive, of which one folder that holds everything is stripped. */
      readonly inArchive?: true;
    }
  /** Content that the caller has on this service already: 64 hexadecimal digits. */
  | { readonly sha256: string }
  /** The path goes; only over a live deploy. */
  | { readonly delete: true }
  /** Was in the body and is not taken; why. */
  | { readonly leftOut: string }
);
