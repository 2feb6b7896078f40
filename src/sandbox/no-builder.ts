import { Builder, type Sandbox } from '../kernel/ports/outside/builder.js';
import { refuse } from '../kernel/refusal.js';

/** Refuses every build with the reason why this process cannot build. */
export class NoBuilder extends Builder {
  override readonly engine = 'none';

  constructor(
    override readonly missing: string,
    override readonly isElsewhere = false,
  ) {
    super();
  }

  start = async () => undefined;

  stopped = async () => undefined;

  override tried = async () => this.missing;

  override provide = async () => 'unavailable' as const;

  override describe = async () => [];

  override async open(): Promise<Sandbox> {
    return refuse('builder_unavailable', this.missing);
  }
}
