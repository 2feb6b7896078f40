/**
 * What a pool of pg connects with, for a connection beside it. Its password is hidden from `console.log`, and so from
 * being spread too: a copy of a pool's options by `...` is refused where a password is asked for.
 */
export const connectionOf = <Options extends { readonly password?: unknown }>({
  options,
}: {
  readonly options: Options;
}): Options => ({ ...options, password: options.password });
