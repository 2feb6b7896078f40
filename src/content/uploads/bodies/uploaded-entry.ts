/**
 * One entry of a deploy’s body. `field` is its place in the request, for messages: `files[3]`. `path` is as it was
 * sent, and not yet checked.
 */
export type UploadedEntry = { readonly path: string; readonly field: string } & (
  | {
      readonly content: Uint8Array | AsyncIterable<Uint8Array>;
      /** The entry is from an archive; a single folder around all of an archive may be stripped. */
      readonly inArchive?: true;
    }
  /** Content that the caller owns on this service already, by its SHA-256 in 64 hexadecimal digits. */
  | { readonly sha256: string }
  /** The path is removed from the live deploy. */
  | { readonly delete: true }
  /** The entry is not part of the site; why. */
  | { readonly leftOut: string }
);
