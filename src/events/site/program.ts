import { z } from 'zod';

/** Kinds of servers: the standalone server that Next.js builds, or a container image. */
export const programKinds = ['next', 'container'] as const;
export type ProgramKind = (typeof programKinds)[number];

/** Null for a static deploy. */
export const program = z.strictObject({ kind: z.enum(programKinds) }).nullable();
export type Program = z.output<typeof program>;
