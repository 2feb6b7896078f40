import { isCode } from './error-code.js';

/**
 * Reports whether an operation failed because the machine ran out of file descriptors, processes or memory, so that a
 * retry might succeed.
 */
export const isShortage = (error: unknown): boolean => isCode(error, 'EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM');
