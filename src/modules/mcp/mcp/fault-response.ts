import { NOT_JSON } from '../../../edge/http/api/body/read-body.js';
import { problems } from '../../../edge/http/problems/problem.js';
import type { Refusal } from '../../../kernel/refusal.js';

/** Error codes of JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/** Creates a JSON-RPC error response for an invalid body, with the matching HTTP status. */
export function faultResponse({ code, detail, faults }: Refusal) {
  const { status, detail: usual } = problems[code];
  const isSyntax = faults.some(({ message }) => message === NOT_JSON);
  return {
    status,
    body: {
      jsonrpc: '2.0',
      id: null,
      error: {
        code: isSyntax ? PARSE_ERROR : INVALID_REQUEST,
        message: detail ?? usual,
        data: { code, ...(code === 'too_large' && { suggestion: 'Use prepare_upload for large content.' }) },
      },
    },
  };
}
