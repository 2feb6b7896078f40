const UNREGISTERED = 'The app is not registered with this service.';
const NEEDS_PAGE = 'The app asked for an answer without showing you a page, but you have to decide first.';

/** Explanations of OAuth error codes for people. The descriptions of the OAuth library are for developers of apps. */
const EXPLANATIONS: ReadonlyMap<string, string> = new Map([
  ['invalid_request', 'The app’s request is invalid or has expired. Start again in the app.'],
  ['invalid_client', UNREGISTERED],
  ['unauthorized_client', UNREGISTERED],
  ['invalid_client_metadata', 'The app’s registration is invalid.'],
  ['invalid_redirect_uri', 'The app wants to send you back to an address that it has not registered.'],
  ['invalid_grant', 'The app’s access is no longer valid. Start again in the app.'],
  ['invalid_scope', 'The app asked for rights that this service does not offer.'],
  ['invalid_target', 'The app asked for access to a different service.'],
  ['unsupported_response_type', 'The app tried to connect in a way that this service does not support.'],
  ['unsupported_response_mode', 'The app tried to connect in a way that this service does not support.'],
  ['login_required', NEEDS_PAGE],
  ['consent_required', NEEDS_PAGE],
  ['interaction_required', NEEDS_PAGE],
]);

export const explainError = (code: string): string => EXPLANATIONS.get(code) ?? 'The app’s request is invalid.';
