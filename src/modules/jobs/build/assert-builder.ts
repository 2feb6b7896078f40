import type { Plan } from '../../../events/repo-source.js';
import type { Builder } from '../../../kernel/ports/outside/builder.js';
import type { ImageBuilder } from '../../../kernel/ports/outside/image-builder.js';
import { refuse } from '../../../kernel/refusal.js';

/** Part of a plan that decides whether it can be built. */
type ToBeBuilt = Pick<Plan, 'kind'>;

/** The builder for files and servers, and the one for images. */
export type BuilderPair = { readonly builder: Builder; readonly imageBuilder: ImageBuilder };

/**
 * Resolves to the reason why a plan cannot be built, with what to install or to change; null if it can be built, or if
 * only another process of the service knows.
 */
export async function whyNotBuilt({ builder, imageBuilder }: BuilderPair, { kind }: ToBeBuilt): Promise<string | null> {
  if (kind === 'static') return null;
  const needed = kind === 'container' ? imageBuilder : builder;
  return needed.isElsewhere ? null : needed.tried();
}

/** Refuses a plan that cannot be built with `builder_unavailable`. */
export async function assertBuilder(builders: BuilderPair, plan: ToBeBuilt): Promise<void> {
  const why = await whyNotBuilt(builders, plan);
  if (why !== null) refuse('builder_unavailable', why);
}
