import type { FactoryProvider } from '@nestjs/common';

/** The class that something is injected by. */
export type Token<Instance = unknown> = abstract new (...given: never[]) => Instance;

type InstancesOf<Tokens extends readonly Token[]> = {
  [Index in keyof Tokens]: Tokens[Index] extends Token<infer Instance> ? Instance : never;
};

/** A provider whose factory is checked against what is injected into it; Nest's own type lets it take anything. */
export const provide = <Instance, const Tokens extends readonly Token[]>(
  token: Token<Instance>,
  inject: Tokens,
  useFactory: (...given: InstancesOf<Tokens>) => Instance | Promise<Instance>,
): FactoryProvider<Instance> => ({ provide: token, inject: [...inject], useFactory });
