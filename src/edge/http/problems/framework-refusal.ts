import { HttpException } from '@nestjs/common';
import { Refusal, type RefusalCode } from '../../../kernel/refusal.js';

export const MAX_PARAMETER_LENGTH = 200;

/** Details for Fastify errors, whose own messages are meant for server developers. */
const DETAILS: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL: 'The URL contains an invalid percent-encoded sequence.',
  FST_ERR_MAX_PARAM_LENGTH: `A segment of the URL’s path has more than ${MAX_PARAMETER_LENGTH} characters.`,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The length of the body differs from the Content-Length header.',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'The Content-Type header is not a valid media type.',
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: 'The Content-Type header is missing.',
};

export const MEDIA_TYPE_SUGGESTION =
  'Set Content-Type to one of the types in /openapi.json. curl sends application/x-www-form-urlencoded by default.';

/** Converts a client error of Nest or Fastify to a refusal. Returns null for any other error. */
export function frameworkRefusal(error: unknown): Refusal | null {
  const status = readStatus(error);
  if (status < 400 || status >= 500) return null;
  const code: RefusalCode =
    status === 413 ? 'too_large' : status === 415 ? 'unsupported_media_type' : 'invalid_request';
  const detail = DETAILS[readFastifyCode(error) ?? ''];
  return new Refusal(code, detail, [], code === 'unsupported_media_type' ? { suggestion: MEDIA_TYPE_SUGGESTION } : {});
}

/** Returns the code of a Fastify error (`FST_ERR_…`), which Nest may have wrapped. */
export function readFastifyCode(error: unknown): string | null {
  const own = error instanceof HttpException ? error.cause : error;
  return own instanceof Error && 'code' in own && typeof own.code === 'string' ? own.code : null;
}

export function readStatus(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  if (error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number') return error.statusCode;
  return 500;
}
