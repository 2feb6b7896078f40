/** Called with which one of a subject there is news of; null when something may have been missed. */
export type WakeUpListener = (key: string | null) => void;

/**
 * Wakes all listeners that wait for something, in all processes. A wake-up says only where to look, and it may be lost:
 * what waits for long looks again by itself.
 */
export abstract class WakeUps {
  /** From now on the listener hears of the subject, for as long as the process lasts. */
  abstract listen(subject: string, listener: WakeUpListener): void;

  /** There is news: heard at once in this process, and within milliseconds in the others. Neither has a blank in it. */
  abstract tell(subject: string, key: string): void;
}
