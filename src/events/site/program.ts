import { z } from 'zod';

/** How a deploy runs that is no list of files: the standalone server that Next.js built, or an image of a container. */
export const programKinds = ['next', 'container'] as const;
export type ProgramKind = (typeof programKinds)[number];

/** Null for a deploy that is files. */
export const program = z.strictObject({ kind: z.enum(programKinds) }).nullable();
export type Program = z.output<typeof program>;
