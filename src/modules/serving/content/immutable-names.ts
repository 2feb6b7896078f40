/** Scripts, styles, fonts, images and wasm. */
const LASTING = /^(?:text\/(?:javascript|css)|font\/|image\/|application\/(?:javascript|wasm|font|vnd\.ms-fontobject))/;

/**
 * Reports whether a bundler seems to have named a file by its content: a name with a token of at least eight letters
 * and digits (docs/interface/serving.md, "Caching"). `ImmutableAssets` checks whether the content has really never
 * changed.
 */
export function seemsNamedByContent(path: string, type: string): boolean {
  if (!LASTING.test(type)) return false;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const tokens = name.slice(0, name.lastIndexOf('.')).match(/[a-z0-9]{8,}/gi) ?? [];
  return tokens.some((token) => /\d/.test(token) && /[a-z]/i.test(token));
}
