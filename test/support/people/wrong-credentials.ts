/** Header values by name. If a value is a list, each item is sent as a separate header. */
export type SentHeaders = Record<string, string | string[]>;

type GivenOut = {
  readonly session: string;
  readonly endedSession: string;
  readonly editToken: string;
  /** Token of a mailed link, which is not a bearer token. */
  readonly linkToken: string;
  /** Token of a connected app, which is valid only for MCP. */
  readonly agentToken: string;
  /** A valid access token, and three invalid ones: revoked, expired, and of a member who was removed. */
  readonly accessToken: string;
  readonly endedAccessToken: string;
  readonly overAccessToken: string;
  readonly removedAccessToken: string;
  readonly sessionCookie: string;
};

const authorization = (value: string | string[]): SentHeaders => ({ authorization: value });

const editTokenHeader = (value: string | string[]): SentHeaders => ({ 'x-svc-edit-token': value });

/**
 * Invalid credentials: typical mistakes of shells, secret stores and copying. Each results in 401 on every route
 * (docs/interface/conventions.md, "Sessions" and "Edit token").
 */
export function wrongCredentials(given: GivenOut) {
  const { session, endedSession, editToken, linkToken, agentToken, accessToken, sessionCookie } = given;
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
  return {
    'an empty authorization': authorization(''),
    'no token after the scheme': authorization('Bearer'),
    'blanks after the scheme': authorization('Bearer   '),
    'a variable that was not set in JavaScript': authorization('Bearer undefined'),
    'a variable that was not set in Python': authorization('Bearer None'),
    'a variable that was not expanded': authorization('Bearer $STELE_TOKEN'),
    'a placeholder': authorization('Bearer <token>'),
    'a bearer in quotes': authorization(`Bearer "${session}"`),
    'a bearer in single quotes': authorization(`Bearer '${session}'`),
    'a header in quotes': authorization(`"Bearer ${session}"`),
    'a bearer without its last character': authorization(`Bearer ${session.slice(0, -1)}`),
    'a bearer with one more character': authorization(`Bearer ${session}0`),
    'the start of a bearer': authorization(`Bearer ${session.slice(0, 20)}`),
    'a bearer without its prefix': authorization(`Bearer ${session.replace('stele_session_', '')}`),
    'a bearer in capitals': authorization(`Bearer ${session.toUpperCase()}`),
    'a bearer without a scheme': authorization(session),
    'a colon after the scheme': authorization(`Bearer: ${session}`),
    'an equals sign after the scheme': authorization(`Bearer=${session}`),
    'a tab after the scheme': authorization(`Bearer\t${session}`),
    'two bearers in one header': authorization(`Bearer ${session}, Bearer ${session}`),
    'a word after the bearer': authorization(`Bearer ${session} please`),
    'two headers, the first one valid': authorization([`Bearer ${session}`, 'Bearer x']),
    'two headers, the second one valid': authorization(['Bearer x', `Bearer ${session}`]),
    'the scheme Basic': authorization(basic(`ann:${session}`)),
    'the scheme Basic with the token as the user name': authorization(basic(`${session}:`)),
    'the scheme Token': authorization(`Token ${session}`),
    'the scheme Negotiate': authorization('Negotiate YII='),
    'an unknown session': authorization(`Bearer stele_session_${'7'.repeat(49)}`),
    'a session that has ended': authorization(`Bearer ${endedSession}`),
    'an edit token as a bearer': authorization(`Bearer ${editToken}`),
    'the token of a mailed link as a bearer': authorization(`Bearer ${linkToken}`),
    'the token of a connected app': authorization(`Bearer ${agentToken}`),
    'an unknown access token': authorization(`Bearer stele_pat_${'7'.repeat(49)}`),
    'a revoked access token': authorization(`Bearer ${given.endedAccessToken}`),
    'an expired access token': authorization(`Bearer ${given.overAccessToken}`),
    'an access token whose creator was removed': authorization(`Bearer ${given.removedAccessToken}`),
    'an access token without its last character': authorization(`Bearer ${accessToken.slice(0, -1)}`),
    'an access token with one more character': authorization(`Bearer ${accessToken}0`),
    'an access token in quotes': authorization(`Bearer "${accessToken}"`),
    'an access token without a scheme': authorization(accessToken),
    'an access token as a password': authorization(basic(`x-access-token:${accessToken}`)),
    'an access token as an edit token': editTokenHeader(accessToken),
    'a revoked access token beside a valid cookie': {
      authorization: `Bearer ${given.endedAccessToken}`,
      cookie: sessionCookie,
    },
    'a wrong admin token': authorization('Bearer not-the-operator'),
    'an invalid bearer beside a valid cookie': { authorization: 'Bearer ', cookie: sessionCookie },
    'an invalid bearer beside a valid edit token': { authorization: 'Bearer ', 'x-svc-edit-token': editToken },
    'an empty edit token': editTokenHeader(''),
    'an edit token that was not set': editTokenHeader('undefined'),
    'an edit token in quotes': editTokenHeader(`"${editToken}"`),
    'an edit token without its last character': editTokenHeader(editToken.slice(0, -1)),
    'an edit token with one more character': editTokenHeader(`${editToken}0`),
    'an edit token with a scheme': editTokenHeader(`Bearer ${editToken}`),
    'two edit tokens': editTokenHeader([editToken, editToken]),
    'the token of a connected app as an edit token': editTokenHeader(agentToken),
    'a session as an edit token': editTokenHeader(session),
    'an empty edit token beside a valid bearer': { authorization: `Bearer ${session}`, 'x-svc-edit-token': '' },
  } satisfies Record<string, SentHeaders>;
}
