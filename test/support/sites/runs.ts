import { randomBytes } from 'node:crypto';
import type { Stele } from '../service/stele.js';

export const newRunId = () =>
  `run_${BigInt(`0x${randomBytes(20).toString('hex')}`)
    .toString(36)
    .padStart(26, '0')
    .slice(-26)}`;

export const eventsOf = (runId: string) => `/v1/cli/runs/${runId}/events`;

export const tell = (stele: Stele, runId: string, kind: string, data?: object) =>
  stele.api.post('/v1/cli/event').send({ runId, kind, ...(data && { data }) });
