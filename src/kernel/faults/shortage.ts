import { isCode } from './error-code.js';

/**
 * Reports whether an operation failed for lack of open files, processes or memory (errno(3)). It had no effect and
 * might succeed if retried.
 */
export const isShortage = (error: unknown): boolean => isCode(error, 'EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM');
