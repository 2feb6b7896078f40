/**
 * Returns the options with which a pool of pg connects, for a separate connection. Reads the password explicitly: pg
 * makes it non-enumerable to hide it from `console.log`, so spreading the options loses it, and a server that requires
 * one rejects the connection.
 */
export const copyConnectionOptions = <Options extends { readonly password?: unknown }>({
  options,
}: {
  readonly options: Options;
}): Options => ({ ...options, password: options.password });
