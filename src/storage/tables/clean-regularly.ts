import { BackgroundTask } from '../../kernel/faults/background-task.js';

export function cleanRegularly(
  { name, everyMs, signal }: { readonly name: string; readonly everyMs: number; readonly signal: AbortSignal },
  clean: () => Promise<unknown>,
): void {
  const task = new BackgroundTask(name);
  const timer = setInterval(() => void task.run(clean), everyMs).unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}
