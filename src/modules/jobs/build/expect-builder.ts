import type { Plan } from '../../../events/repo-source.js';
import type { Builder } from '../../../kernel/ports/outside/builder.js';
import { refuse } from '../../../kernel/refusal.js';

/** What of a plan decides whether it can be built: all of one, or what a caller wants of it. */
type ToBeBuilt = Pick<Plan, 'kind'>;

/**
 * Why a plan cannot be built, naming what to install or to change; null where it can, and where only another process of
 * the service knows.
 */
export async function whyNotBuilt(builder: Builder, plan: ToBeBuilt): Promise<string | null> {
  if (plan.kind === 'static') return null;
  return builder.isElsewhere ? null : builder.tried();
}

/** Refuses such a plan with `builder_unavailable`. */
export async function expectBuilder(builder: Builder, plan: ToBeBuilt): Promise<void> {
  const why = await whyNotBuilt(builder, plan);
  if (why !== null) refuse('builder_unavailable', why);
}
