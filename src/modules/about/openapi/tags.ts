import type { OpenAPIObject } from '@nestjs/swagger';
import { listOperations } from './document.js';

/** Groups of operations, in the order of the documentation. */
const TAGS: Readonly<Record<string, string>> = {
  Deploy: 'Publish HTML, files and archives, and upload large files in advance.',
  Claim: 'Become the owner of a site that was published without an account.',
  Sites: 'Read, hide and delete sites, and read their files.',
  History: 'List, compare and export the history of a site, and roll back to an earlier deploy.',
  Sharing: 'Rename and describe a site, invite people and change their roles.',
  Domains: 'Serve a site at your own hostnames.',
  Capabilities: 'Switch optional features of a site on and off.',
  Secrets: 'Store secret values for the builds and servers of a site.',
  Traffic: 'Read the log and the visit statistics of a site.',
  Repositories: 'Build and publish public repositories.',
  Jobs: 'Follow and stop repository deploys.',
  Generate: 'Generate pages from templates and prompts.',
  Connector: 'Let a site send work to an agent that polls for it.',
  Live: 'Watch several streams over one connection.',
  'Sign-in': 'Sign in by email, with an identity provider or from a terminal.',
  You: 'Your account and everything that belongs to it.',
  Tokens: 'Access tokens for scripts, and publishers for CI jobs.',
  'Command line': 'The stele command, and endpoints for command-line clients.',
  Serving: 'Published sites.',
  About: 'The service itself: health, limits, status, changelog and descriptions of the API.',
  Waitlist: 'Register interest in the service.',
  Operator: 'Endpoints for the operator, which require the admin token.',
  Development: 'Only available on a service that runs on the local machine.',
};

/** Declares the tags in use. A test fails if an operation has an undeclared tag. */
export function tags(document: OpenAPIObject): OpenAPIObject {
  const used = new Set(listOperations(document).flatMap(({ operation: { tags = [] } }) => tags));
  document.tags = Object.entries(TAGS).flatMap(([name, description]) =>
    used.has(name) ? [{ name, description }] : [],
  );
  return document;
}
