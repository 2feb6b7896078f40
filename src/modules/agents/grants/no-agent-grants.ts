import { Injectable } from '@nestjs/common';
import { type AgentGrant, AgentGrants } from '../../../kernel/ports/agent-grants.js';
import { refuse } from '../../../kernel/refusal.js';

/** Grants where nobody can give one: every token is unknown. */
@Injectable()
export class NoAgentGrants extends AgentGrants {
  override find = async (): Promise<AgentGrant> => refuse('unauthenticated', 'No program has a grant here.');
}
