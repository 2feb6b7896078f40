import { isCode } from './error-code.js';

/**
 * Whether an operation failed for lack of open files, processes or memory (errno(3)). It had no effect and may succeed
 * if retried.
 */
export const isShortage = (error: unknown): boolean => isCode(error, 'EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM');
