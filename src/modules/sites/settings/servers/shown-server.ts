import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { ServerStateLookup, serverStates } from '../../api/server-state.js';

export const ShownServer = z
  .object({
    state: z.enum(serverStates),
    since: z.string(),
    reason: z.string().optional().meta({ description: 'Why the server crashed.' }),
  })
  .meta({ description: 'State of the site’s server. Only present if the live deploy runs one.' });

type LiveDeploy = { readonly deployId: string | null; readonly isProgram: boolean; readonly updatedAt: Date };

@Injectable()
export class ServerStatusReader {
  constructor(private readonly servers: ServerStateLookup) {}

  /**
   * Describes the server of the live deploy. Returns undefined if that deploy has no server. A server without a
   * recorded state has not been requested yet and is reported as sleeping.
   */
  async of({ deployId, isProgram, updatedAt }: LiveDeploy): Promise<z.output<typeof ShownServer> | undefined> {
    if (!isProgram || deployId === null) return undefined;
    const row = await this.servers.find(deployId);
    if (!row) return { state: 'sleeping', since: updatedAt.toISOString() };
    const { state, since, reason } = row;
    return { state, since: since.toISOString(), ...(reason !== null && { reason }) };
  }
}
