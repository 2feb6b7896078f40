import type { RefusalCode } from '../../../kernel/refusal.js';
import type { Described } from './document.js';

/** Returns the codes that an operation can refuse with: those of its kind and those that it declares. */
export function problemCodesOf(described: Described): ReadonlySet<RefusalCode> {
  const { operation } = described;
  return new Set([
    ...ofAny(described),
    ...ofSite(described),
    ...ofWrite(described),
    ...(operation['x-problems'] ?? []),
  ]);
}

const has = ({ operation }: Described, place: string, name: RegExp) =>
  operation.parameters?.some((parameter) => parameter.in === place && name.test(parameter.name)) ?? false;

function ofAny(described: Described): readonly RefusalCode[] {
  const { path, operation } = described;
  const route = operation['x-route'] ?? {};
  return [
    'invalid_request',
    // An invalid bearer token is refused by every route.
    'unauthenticated',
    ...(route.rate ? (['rate_limited'] as const) : []),
    // An access token can't be used where a session is required.
    ...(operation['x-takes-session'] || route.operator ? (['forbidden'] as const) : []),
    ...(route.operator || route.hidden || path.includes('{') ? (['not_found'] as const) : []),
    ...(route.problemPages && route.rate ? (['invalid_token', 'conflict'] as const) : []),
    ...(path.includes('/jobs/{id}') ? (['job_not_found', 'forbidden', 'edit_token_invalid'] as const) : []),
  ];
}

/** The site may not exist, or the caller may have no access to it. */
function ofSite(described: Described): readonly RefusalCode[] {
  const isOfSite = /^\/v1\/sites\/\{slug\}/.test(described.path) || has(described, 'query', /^slug$/);
  const isOfDeploy = has(described, 'query', /^(deployId|from|at)$/) || described.path.includes('{deployId}');
  return [
    ...(isOfSite ? (['site_not_found', 'forbidden', 'edit_token_invalid', 'site_expired', 'taken_down'] as const) : []),
    ...(isOfDeploy ? (['deploy_not_found'] as const) : []),
  ];
}

function ofWrite(described: Described): readonly RefusalCode[] {
  const { method, operation } = described;
  if (method === 'GET') return [];
  return [
    'cross_origin',
    'conflict',
    // A body of an unsupported type is refused even if the operation takes no body.
    'unsupported_media_type',
    ...(operation.requestBody ? (['too_large'] as const) : []),
    ...(operation['x-takes-if-match'] ? (['revision_mismatch'] as const) : []),
    ...(operation['x-takes-idempotency-key'] ? (['idempotency_in_progress', 'idempotency_key_reused'] as const) : []),
  ];
}
