import type { OpenAPIObject } from '@nestjs/swagger';
import type { Access } from '../../../edge/http/api/description/operation-traits.js';
import { type Described, listOperations } from './document.js';

const SCHEMES = {
  session: {
    type: 'http',
    scheme: 'bearer',
    description: 'Session token (`stele_session_…`), returned as `token` when you sign in, or an access token.',
  },
  sessionCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'stele_session',
    description: 'Browser session cookie. Its name is `__Host-stele_session` over HTTPS.',
  },
  editToken: {
    type: 'apiKey',
    in: 'header',
    name: 'x-svc-edit-token',
    description: 'Edit token (`stele_edit_…`), returned as `editToken` by the first deploy of an anonymous site.',
  },
  uploadToken: {
    type: 'apiKey',
    in: 'header',
    name: 'x-svc-upload-token',
    description:
      'Upload token (`stele_upload_…`), returned as `uploadToken` by a preflight. Valid for uploads and the deploy that uses them.',
  },
  connectorToken: { type: 'http', scheme: 'bearer', description: 'An agent’s connector token (`stele_connector_…`).' },
  operator: {
    type: 'http',
    scheme: 'bearer',
    description: 'The operator’s admin token, from the setting `STELE_ADMIN_TOKEN`.',
  },
} as const;

type SchemeName = keyof typeof SCHEMES;

const PEOPLE: readonly SchemeName[] = ['session', 'sessionCookie'];
const any = (...names: readonly SchemeName[]) => names.map((name) => ({ [name]: [] }));

/** An empty object (`{}`) means that callers without credentials are accepted. */
export function security(document: OpenAPIObject): OpenAPIObject {
  document.components = { ...document.components, securitySchemes: { ...SCHEMES } };
  for (const each of listOperations(document)) each.operation.security = securityOf(each);
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

function accessOf(path: string, operation: Described['operation']): Access | undefined {
  if (operation['x-access']) return operation['x-access'];
  if (operation['x-takes-session']) return 'session';
  if (!operation['x-takes-caller']) return undefined;
  return path.startsWith('/v1/sites/{slug}') ? 'credential' : 'anybody';
}
