/**
 * Copies the options with which a pg pool connects, so that a separate connection can use them. Reads the password
 * explicitly: pg makes it non-enumerable to hide it from `console.log`, so spreading the options would lose it, and a
 * server that requires a password would reject the connection.
 */
export const copyConnectionOptions = <Options extends { readonly password?: unknown }>({
  options,
}: {
  readonly options: Options;
}): Options => ({ ...options, password: options.password });
