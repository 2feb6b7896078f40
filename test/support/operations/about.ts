import type { Operation } from './operation.js';

/** Operations that describe the service and its state, and the operator's read-only operations. */
export const about: readonly Operation[] = [
  {
    operation: 'GET /v1/admin/servers',
    callers: [401, 403],
  },
  {
    operation: 'GET /v1/admin/traffic',
    callers: [401, 403],
  },
  {
    operation: 'GET /status',
    callers: [200, 200],
  },
  {
    operation: 'GET /status.rss',
    callers: [200, 200],
  },
  {
    operation: 'GET /v1/live',
    // Every caller gets 400, because the request is not a WebSocket handshake.
    callers: [400, 400],
  },
  {
    operation: 'GET /health',
    callers: [200, 200],
  },
  {
    operation: 'GET /ready',
    callers: [200, 200],
  },
  {
    operation: 'GET /errors/{code}',
    callers: [404, 404],
  },
  {
    operation: 'GET /cli/install.sh',
    callers: [200, 200],
  },
  {
    operation: 'GET /cli/stele.tgz',
    callers: [302, 302],
  },
  {
    operation: 'GET /cli/stele-{version}.tgz',
    callers: [404, 404],
  },
  {
    operation: 'GET /llms.txt',
    callers: [200, 200],
  },
  {
    operation: 'GET /llms-full.txt',
    callers: [200, 200],
  },
  {
    operation: 'GET /openapi.json',
    callers: [200, 200],
  },
  {
    operation: 'GET /v1/limits',
    callers: [200, 200],
  },
  {
    operation: 'GET /v1/changelog',
    callers: [200, 200],
  },
  {
    operation: 'GET /v1/changelog.md',
    callers: [200, 200],
  },
  {
    operation: 'GET /v1/changelog.rss',
    callers: [200, 200],
  },
  {
    operation: 'GET /.well-known/security.txt',
    callers: [200, 200],
  },
  {
    operation: 'GET /.well-known/stele-audit-key',
    callers: [200, 200],
  },
  {
    operation: 'GET /dev/outbox.json',
    callers: [200, 200],
  },
];
