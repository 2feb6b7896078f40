/** Called with the key for which something has changed, or null if wake-ups might have been lost. */
export type WakeUpListener = (key: string | null) => void;

/**
 * Wakes listeners in all processes. A wake-up only indicates where to look and can be lost, so long waits must also
 * poll.
 */
export abstract class WakeUps {
  /** Calls the listener for each wake-up of the subject until the process exits. */
  abstract listen(subject: string, listener: WakeUpListener): void;

  /**
   * Wakes listeners in this process immediately, and in others within milliseconds. Neither argument may contain a
   * space.
   */
  abstract tell(subject: string, key: string): void;
}
