/** Thrown for an invalid EVENTSTORE_URL. The message omits the URL, which contains a password. */
export class EventStoreAddressError extends Error {
  override readonly name = 'EventStoreAddressError';
}

export type KurrentAddress = {
  /** The URL in the format of `@eventstore/db-client`. */
  readonly url: string;
  /**
   * Credentials that are passed with every call. For a call without credentials, the client uses a method that has no
   * deadline (batchAppend). The client does not send credentials to a server without TLS.
   */
  readonly credentials: { readonly username: string; readonly password: string };
  /** Hosts, ports and the prefix of stream names, for display. */
  readonly location: string;
  /** Prefix of our stream names on the server, usually empty. The client library does not add it. */
  readonly streamPrefix: string;
};

/**
 * Allowed stream prefixes, which keep two services on one server apart. Names that start with `$` belong to system
 * streams.
 */
const STREAM_PREFIX = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const FORM =
  /^(?:esdb|kurrentdb|kurrent)(\+discover)?:\/\/(?:([^:@/?]+):([^@/?]*)@)?([A-Za-z0-9._-]+(?::\d{1,5})?(?:,[A-Za-z0-9._-]+(?::\d{1,5})?)*)\/?(?:\?(.*))?$/;

/** Parses EVENTSTORE_URL. Throws `EventStoreAddressError`. */
export function kurrentAddress(text: string): KurrentAddress {
  const [, discover = '', user, password = '', location = '', query = ''] = FORM.exec(text) ?? [];
  if (!location)
    throw new EventStoreAddressError(
      'must be a connection string such as esdb://user:password@host:2113 or esdb+discover://user:password@host (kurrentdb works too). Percent-encode special characters in the user name and the password, such as %40 for @',
    );
  // Rejects several host names for discovery, because the client would use only the first one.
  if (discover !== '' && location.includes(','))
    throw new EventStoreAddressError(
      'has several hosts after +discover, which takes one DNS name for the whole cluster. List several nodes as esdb://user:password@a:2113,b:2113,c:2113',
    );
  const options = new URLSearchParams(query);
  const [key, value] = [...options].find(([name]) => name.toLowerCase() === 'tls') ?? [];
  const streamPrefix = options.get('streamPrefix') ?? '';
  if (options.has('streamPrefix') && !STREAM_PREFIX.test(streamPrefix))
    throw new EventStoreAddressError(
      'has an invalid streamPrefix. It must have 1 to 64 letters, digits, dots, hyphens and underscores, and begin with a letter or a digit',
    );
  const clientOptions = query.split('&').filter((option) => option !== '' && !option.startsWith('streamPrefix='));
  const isPlain = key !== undefined && value === 'false';
  if (user === undefined && !isPlain)
    throw new EventStoreAddressError(
      'needs a user name and a password (esdb://user:password@…), or ?tls=false for a server without TLS',
    );
  if (isPlain && user !== undefined && password === '')
    throw new EventStoreAddressError('has a user name without a password');
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
    throw new EventStoreAddressError(
      'has a % in its user name or password that is not followed by two hexadecimal digits',
    );
  }
}
