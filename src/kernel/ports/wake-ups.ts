/** Called with the key of a wake-up, or with null if wake-ups might have been lost. */
export type WakeUpListener = (key: string | null) => void;

/** Wakes listeners in all processes. Wake-ups can be lost, so long waits must also poll. */
export abstract class WakeUps {
  abstract listen(subject: string, listener: WakeUpListener): void;

  /**
   * Wakes listeners in this process immediately, and those in other processes within milliseconds. `subject` and `key`
   * can't contain spaces.
   */
  abstract tell(subject: string, key: string): void;
}
