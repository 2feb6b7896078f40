/** Whether it carries one of these codes, as errors of the system and of PostgreSQL do. */
export const isCode = (reason: unknown, ...codes: string[]) =>
  typeof reason === 'object' &&
  reason !== null &&
  'code' in reason &&
  typeof reason.code === 'string' &&
  codes.includes(reason.code);
