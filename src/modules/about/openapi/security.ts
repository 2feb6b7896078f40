import type { OpenAPIObject } from '@nestjs/swagger';
import type { Access } from '../../../http/api/description/operation-traits.js';
import { type Described, operationsOf } from './document.js';

const SCHEMES = {
  session: {
    type: 'http',
    scheme: 'bearer',
    description: 'What signing in answers as `token` (`stele_session_…`), or an access token.',
  },
  sessionCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'stele_session',
    description: 'The session of a browser; `__Host-stele_session` on https.',
  },
  editToken: {
    type: 'apiKey',
    in: 'header',
    name: 'x-svc-edit-token',
    description: 'What the deploy that made an anonymous site answered as `editToken` (`stele_edit_…`).',
  },
  uploadToken: {
    type: 'apiKey',
    in: 'header',
    name: 'x-svc-upload-token',
    description:
      'What a preflight answered as `uploadToken` (`stele_upload_…`): for uploads, and the deploy that names them.',
  },
  connectorToken: { type: 'http', scheme: 'bearer', description: 'Of an agent of a site (`stele_connector_…`).' },
  operator: { type: 'http', scheme: 'bearer', description: 'The operator’s own: `STELE_ADMIN_TOKEN`.' },
} as const;

type SchemeName = keyof typeof SCHEMES;

const PEOPLE: readonly SchemeName[] = ['session', 'sessionCookie'];
const any = (...names: readonly SchemeName[]) => names.map((name) => ({ [name]: [] }));

/** Says of every operation whose credentials it takes, and whether it takes a caller without any (`{}`). */
export function security(document: OpenAPIObject): OpenAPIObject {
  document.components = { ...document.components, securitySchemes: { ...SCHEMES } };
  for (const each of operationsOf(document)) each.operation.security = securityOf(each);
  return document;
}

function securityOf({ path, operation }: Described) {
  const { operator, agent } = operation['x-route'] ?? {};
  if (operator) return any('operator');
  if (agent) return any('connectorToken');
  switch (accessOf(path, operation)) {
    case 'session':
      return any(...PEOPLE);
    case 'credential':
      return any(...PEOPLE, 'editToken');
    case 'upload':
      return any(...PEOPLE, 'editToken', 'uploadToken');
    case 'anybody':
      return [{}, ...any(...PEOPLE, 'editToken')];
    default:
      return [];
  }
}

/** What an operation about a site asks of its caller, but for those few that say otherwise themselves. */
function accessOf(path: string, operation: Described['operation']): Access | undefined {
  if (operation['x-access']) return operation['x-access'];
  if (operation['x-takes-session']) return 'session';
  if (!operation['x-takes-caller']) return undefined;
  return path.startsWith('/v1/sites/{slug}') ? 'credential' : 'anybody';
}
