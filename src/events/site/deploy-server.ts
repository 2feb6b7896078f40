import { z } from 'zod';

/** The standalone server that Next.js builds, or a container image. */
export const serverKinds = ['next', 'container'] as const;
export type ServerKind = (typeof serverKinds)[number];

/** The server of a deploy, or null for a static deploy. */
export const deployServer = z.strictObject({ kind: z.enum(serverKinds) }).nullable();
export type DeployServer = z.output<typeof deployServer>;
