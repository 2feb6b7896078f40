import type { FactoryProvider } from '@nestjs/common';

/** The class by which a provider is injected. */
export type Token<Instance = unknown> = abstract new (...given: never[]) => Instance;

type InstancesOf<Tokens extends readonly Token[]> = {
  [Index in keyof Tokens]: Tokens[Index] extends Token<infer Instance> ? Instance : never;
};

/**
 * Defines a provider with a factory. Unlike Nest's own type, checks that the types of the factory's parameters match
 * the injected arguments.
 */
export const provide = <Instance, const Tokens extends readonly Token[]>(
  token: Token<Instance>,
  inject: Tokens,
  useFactory: (...given: InstancesOf<Tokens>) => Instance | Promise<Instance>,
): FactoryProvider<Instance> => ({ provide: token, inject: [...inject], useFactory });
