import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { AGENT_SCOPES, AUTHORIZATION_PATHS } from '../../../kernel/ports/outside/authorization-server.js';
import type { Feature } from '../../../nest/features.js';

/** Metadata of the protected resource (RFC 9728) and of its authorization server (RFC 8414). */
@ApiExcludeController()
@Controller('.well-known')
class MetadataController {
  constructor(private readonly urls: ServiceUrls) {}

  @Get(['oauth-protected-resource', 'oauth-protected-resource/mcp'])
  protectedResource() {
    const { baseUrl, mcpUrl } = this.urls;
    return {
      resource: mcpUrl,
      authorization_servers: [baseUrl],
      scopes_supported: AGENT_SCOPES,
      bearer_methods_supported: ['header'],
      resource_name: 'Stele',
      resource_documentation: `${baseUrl}/llms.txt`,
    };
  }

  /** Some clients first try the OpenID Connect URL, so the document also has the fields required by OpenID Connect. */
  @Get(['oauth-authorization-server', 'openid-configuration'])
  authorizationServer() {
    const { baseUrl } = this.urls;
    const at = (path: keyof typeof AUTHORIZATION_PATHS) => `${baseUrl}${AUTHORIZATION_PATHS[path]}`;
    return {
      issuer: baseUrl,
      authorization_endpoint: at('authorization'),
      token_endpoint: at('token'),
      registration_endpoint: at('registration'),
      revocation_endpoint: at('revocation'),
      jwks_uri: at('keys'),
      scopes_supported: AGENT_SCOPES,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['EdDSA'],
      service_documentation: `${baseUrl}/llms.txt`,
    };
  }
}

export const metadata: Feature = { routes: [MetadataController] };
