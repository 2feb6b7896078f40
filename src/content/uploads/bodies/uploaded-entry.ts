/**
 * One entry in the body of a deploy. `field` is its location in the request, for error messages: `files[3]`. `path` is
 * the path as it was sent, not yet checked.
 */
export type UploadedEntry = { readonly path: string; readonly field: string } & (
  | {
      readonly content: Uint8Array | AsyncIterable<Uint8Array>;
      /** The entry comes from an archive. If a single folder contains the whole archive, it may be stripped. */
      readonly inArchive?: true;
    }
  /** Content that the caller already owns on this service, named by its SHA-256 in 64 hexadecimal digits. */
  | { readonly sha256: string }
  /** The path to remove from the live deploy. */
  | { readonly delete: true }
  /** The reason why the entry is not part of the site. */
  | { readonly leftOut: string }
);
