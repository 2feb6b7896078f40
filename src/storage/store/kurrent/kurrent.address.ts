/** An invalid connection string. The message completes “EVENTSTORE_URL …” and never shows the value, which has a password. */
export class EventStoreAddressFault extends Error {
  override readonly name = 'EventStoreAddressFault';
}

export type KurrentAddress = {
  /** As `@eventstore/db-client` reads it. */
  readonly url: string;
  /**
   * Sent with every call: without credentials of its own a call goes another way through the client, one without a
   * deadline (batchAppend). To a server without TLS the client sends none.
   */
  readonly credentials: { readonly username: string; readonly password: string };
  /** Hosts and ports, and the prefix if there is one, to show to people. */
  readonly location: string;
  /** What the names of our streams begin with there; mostly nothing. The client knows nothing of it. */
  readonly streamPrefix: string;
};

/** It keeps two services on one server apart. One that began with `$` would name the server’s own streams. */
const STREAM_PREFIX = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const FORM =
  /^(?:esdb|kurrentdb|kurrent)(\+discover)?:\/\/(?:([^:@/?]+):([^@/?]*)@)?([A-Za-z0-9._-]+(?::\d{1,5})?(?:,[A-Za-z0-9._-]+(?::\d{1,5})?)*)\/?(?:\?(.*))?$/;

/** Reads EVENTSTORE_URL. Throws `EventStoreAddressFault`. */
export function kurrentAddress(text: string): KurrentAddress {
  const [, discover = '', user, password = '', location = '', query = ''] = FORM.exec(text) ?? [];
  if (!location)
    throw new EventStoreAddressFault(
      'must be a connection string such as esdb://user:password@host:2113 or esdb+discover://user:password@host (kurrentdb works too). Percent-encode special characters in the user name and the password, such as %40 for @',
    );
  // By its definition discovery is of one name; of several the client takes the first and forgets the others.
  if (discover !== '' && location.includes(','))
    throw new EventStoreAddressFault(
      'has several hosts after +discover, which takes one DNS name for the whole cluster. List several nodes as esdb://user:password@a:2113,b:2113,c:2113',
    );
  const options = new URLSearchParams(query);
  const [key, value] = [...options].find(([name]) => name.toLowerCase() === 'tls') ?? [];
  const streamPrefix = options.get('streamPrefix') ?? '';
  if (options.has('streamPrefix') && !STREAM_PREFIX.test(streamPrefix))
    throw new EventStoreAddressFault(
      'has an invalid streamPrefix. It must have 1 to 64 letters, digits, dots, hyphens and underscores, and begin with a letter or a digit',
    );
  const clientOptions = query.split('&').filter((option) => option !== '' && !option.startsWith('streamPrefix='));
  const isPlain = key !== undefined && value === 'false';
  if (user === undefined && !isPlain)
    throw new EventStoreAddressFault(
      'needs a user name and a password (esdb://user:password@…), or ?tls=false for a server without TLS',
    );
  if (isPlain && user !== undefined && password === '')
    throw new EventStoreAddressFault('has a user name without a password');
  const userInfo = user === undefined ? '' : `${user}:${password}@`;
  try {
    const credentials = { username: decodeURIComponent(user ?? 'nobody'), password: decodeURIComponent(password) };
    const clientQuery = clientOptions.length > 0 ? `?${clientOptions.join('&')}` : '';
    return {
      url: `esdb${discover}://${userInfo}${location}${clientQuery}`,
      credentials,
      location: streamPrefix ? `${location} (streams ${streamPrefix}…)` : location,
      streamPrefix,
    };
  } catch {
    throw new EventStoreAddressFault(
      'has a % in its user name or password that is not followed by two hexadecimal digits',
    );
  }
}
