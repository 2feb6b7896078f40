/**
 * Copies the options of a pg pool for a separate connection. Reads the password explicitly, because pg makes it
 * non-enumerable, so that spreading the options loses it.
 */
export const copyConnectionOptions = <Options extends { readonly password?: unknown }>({
  options,
}: {
  readonly options: Options;
}): Options => ({ ...options, password: options.password });
