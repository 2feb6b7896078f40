/** Called with the key of a wake-up, or with null if wake-ups might have been lost. */
export type WakeUpListener = (key: string | null) => void;

/** Wakes listeners in all processes. Wake-ups can be lost, so long waits must also poll. */
export abstract class WakeUps {
  abstract listen(subject: string, listener: WakeUpListener): void;

  /** Wakes listeners here immediately, and in other processes within milliseconds. Arguments can't contain spaces. */
  abstract tell(subject: string, key: string): void;
}
