/** The response of `/dev/outbox.json`. */
export type Outbox = { readonly to: string; readonly links: readonly string[] }[];

/** Returns the URL in the newest mail to `email`. */
export function signInLink(outbox: Outbox, email: string): URL {
  const link = outbox.find(({ to }) => to === email)?.links[0];
  if (link === undefined) throw new Error(`${email} received no link.`);
  return new URL(link);
}
