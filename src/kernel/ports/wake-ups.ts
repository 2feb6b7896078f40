/** Called with the key that has news; null if wake-ups may have been lost. */
export type WakeUpListener = (key: string | null) => void;

/** Wakes listeners in all processes. A wake-up only says where to look and may be lost, so long waits also poll. */
export abstract class WakeUps {
  /** Calls the listener for each wake-up of the subject until the process ends. */
  abstract listen(subject: string, listener: WakeUpListener): void;

  /**
   * Wakes listeners in this process at once, and in others within milliseconds. Neither argument may contain a space.
   */
  abstract tell(subject: string, key: string): void;
}
