/** Thrown if settings are invalid. The message names every invalid setting and its valid values. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}
