/**
 * Copies the options of a pg pool for a separate connection. Copies the password explicitly, because pg makes it
 * non-enumerable, so spreading the options loses it.
 */
export const copyConnectionOptions = <Options extends { readonly password?: unknown }>({
  options,
}: {
  readonly options: Options;
}): Options => ({ ...options, password: options.password });
