/** An invalid setting. The message names every invalid setting and its valid values. */
export class SettingsFault extends Error {
  override readonly name = 'SettingsFault';
}
