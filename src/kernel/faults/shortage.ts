import { isCode } from './error-code.js';

/** Reports whether an operation failed for lack of open files, processes or memory, so that a retry might succeed. */
export const isShortage = (error: unknown): boolean => isCode(error, 'EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM');
