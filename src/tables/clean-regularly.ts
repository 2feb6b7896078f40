/** Of what failed: its name and the last error. */
export type ReportFailure = (name: string, error: unknown) => void;

/** A database that is away for a moment is no news: the next time does the work of both. */
const REPORTED_FROM = 2;

/**
 * Cleans every `everyMs` milliseconds until `signal` aborts. A failure is made good by the next time; from the second
 * one in a row on, each is reported.
 */
export function cleanRegularly(
  clean: () => Promise<unknown>,
  {
    everyMs,
    signal,
    report,
  }: { readonly everyMs: number; readonly signal: AbortSignal; readonly report: (error: unknown) => void },
): void {
  let failures = 0;
  const tick = async () => {
    try {
      await clean();
      failures = 0;
    } catch (error) {
      failures++;
      if (failures >= REPORTED_FROM && !signal.aborted) report(error);
    }
  };
  const timer = setInterval(() => void tick(), everyMs).unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}
