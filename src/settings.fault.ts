/** What is wrong with the environment: the message names each setting and says what to do. */
export class SettingsFault extends Error {
  override readonly name = 'SettingsFault';
}
