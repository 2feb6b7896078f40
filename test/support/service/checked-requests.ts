import type { Response } from 'superagent';
import type { Test } from 'supertest';
import type { Judged } from './openapi-checker.js';

type Checker = { complaint(method: string, url: string, response: Judged): string | null };

declare global {
  /** Set by test/support/jest/worker-wide.js, and therefore undefined outside Jest. */
  var openApiCheckerOfWorker: ((base: string) => Promise<Checker>) | undefined;
}

/**
 * Returns the response checker that all test files of a Jest worker share. Compiling one takes almost a second of CPU
 * time.
 */
export async function sharedChecker(base: string): Promise<Checker> {
  if (globalThis.openApiCheckerOfWorker) return globalThis.openApiCheckerOfWorker(base);
  const { OpenApiChecker } = await import('./openapi-checker.js');
  return OpenApiChecker.of(base);
}

/** Checks each response against the API description, before the test's own expectations. */
export const checkedBy = (checker: Checker) => (test: Test, hosts: readonly string[]) =>
  test.expect((response: Response) => {
    const sent = test as Test & { readonly method: string; readonly url: string };
    const { pathname, search } = new URL(sent.url);
    const host = sent.get('host');
    if (pathname.startsWith('/s/') || (host && !hosts.includes(host))) return;
    const complaint = checker.complaint(sent.method, `${pathname}${search}`, response);
    if (complaint !== null) throw new Error(complaint);
  });
