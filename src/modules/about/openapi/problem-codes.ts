import type { RefusalCode } from '../../../kernel/refusal.js';
import type { Described } from './document.js';

/** The reasons for which an operation may refuse: those that its kind has, and those that it names itself. */
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
    // A bearer that is not valid is refused wherever it is sent.
    'unauthenticated',
    ...(route.rate ? (['rate_limited'] as const) : []),
    // Tokens of scripts are not for what a session is asked for.
    ...(operation['x-takes-session'] || route.operator ? (['forbidden'] as const) : []),
    ...(route.operator || route.hidden || path.includes('{') ? (['not_found'] as const) : []),
    ...(route.problemPages && route.rate ? (['invalid_token', 'conflict'] as const) : []),
    ...(path.includes('/jobs/{id}') ? (['job_not_found', 'forbidden', 'edit_token_invalid'] as const) : []),
  ];
}

/** A site may be gone, and the caller may have no right to it. */
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
    // A body of a type that no route reads is refused where none is asked for, too.
    'unsupported_media_type',
    ...(operation.requestBody ? (['too_large'] as const) : []),
    ...(operation['x-takes-if-match'] ? (['revision_mismatch'] as const) : []),
    ...(operation['x-takes-idempotency-key'] ? (['idempotency_in_progress', 'idempotency_key_reused'] as const) : []),
  ];
}
