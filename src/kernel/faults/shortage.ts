import { isCode } from './error-code.js';

/**
 * Whether the system could not do it for want of open files, processes or memory, of which there may be some again in a
 * moment (errno(3)). What was asked for was not done.
 */
export const isShortage = (error: unknown): boolean => isCode(error, 'EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM');
