// Generated from /openapi.json by `npm run reference`. Do not edit.

export interface paths {
    "/v1/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Watch many streams on one WebSocket
         * @description Opens a WebSocket (RFC 6455) with the credentials in the request headers. Cookies are accepted only from the service’s own origin. `x-websocket` describes the messages. The server closes the connection with code 1008 after too many messages at once, 1009 after a message larger than 4 KiB, 1012 when the server restarts, and 1013 if the IP address has reached its connection limit. Requests that do not open a WebSocket are refused with `invalid_request`.
         */
        get: operations["live"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deploy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deploy a site
         * @description No account is required: the response contains the URL of the site, and an edit token for later changes. If `slug` names a site that the caller can edit, that site is redeployed.
         */
        post: operations["deploy"];
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Redeploy a site
         * @description The body contains the whole site or, with mode=merge, only the files that change.
         */
        patch: operations["redeploy"];
        trace?: never;
    };
    "/v1/deploy/prepared": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Send a prepared deploy
         * @description Sending the same content again returns the first response; different content is refused.
         */
        put: operations["sendUpload"];
        /**
         * Create a URL that accepts one deploy
         * @description For clients that can deploy but cannot send the files themselves, such as MCP clients. For fifteen minutes, anyone with the URL can send one deploy on behalf of the caller, without other credentials. If the deploy would certainly be refused, this request fails with the same error.
         */
        post: operations["prepareUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{slug}/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make an earlier deploy live again
         * @description Only changes which deploy is live; nothing is copied or deleted. Rolling back to the live deploy has no effect and records no event.
         */
        post: operations["rollback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/claim/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Request a link by email to claim an anonymous site */
        post: operations["startClaim"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/claim/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Claim a site with the link from the email
         * @description Also signs you in. The link works once.
         */
        get: operations["verifyClaim"];
        put?: never;
        /** Claim a site from its confirmation page */
        post: operations["verifyClaimByButton"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/claim/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Claim a site as the signed-in user */
        post: operations["claimBySession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{slug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a site */
        get: operations["getSite"];
        put?: never;
        post?: never;
        /**
         * Delete a site
         * @description Starting with the next request, all of the site’s URLs, including those of past deploys, return 404. The API also returns 404 for the site. The site’s jobs are stopped, its slugs stay reserved for 30 days, and its content is removed later.
         */
        delete: operations["deleteSite"];
        options?: never;
        head?: never;
        /**
         * Update a site’s details
         * @description Owners only. Omitted fields stay unchanged.
         */
        patch: operations["describeSite"];
        trace?: never;
    };
    "/v1/sites/{slug}/access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set who can view a site
         * @description Takes effect with the next request, at all of the site’s URLs, including those of earlier deploys. A site that is not public is not served under /s/{slug}/, and for callers without a role on it the API returns 404 `site_not_found`.
         */
        post: operations["setAccess"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{slug}/deploys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a site’s deploys
         * @description Newest first.
         */
        get: operations["listDeploys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{slug}/deploys/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare two deploys
         * @description With `path`, the response is `text/x-diff`: a unified diff of that file with three lines of context, or nothing if the file did not change. For binary files, and for texts with too many differences, it only says that they differ. Files larger than 512 KiB are refused with 413 `too_large`.
         */
        get: operations["diffDeploys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{slug}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a deploy’s files
         * @description Returns one page of files. With `accept: application/x-ndjson`, returns all files, one `{ path, size, type, sha256 }` per line, and ignores `page` and `limit`.
         */
        get: operations["listFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{slug}/files/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a file from a deploy
         * @description Returns the file exactly as it was deployed, always as a download and never as a page. Returns 404 `not_found` if the deploy has no such file.
         */
        get: operations["readFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{slug}/deploys/{deployId}/manifest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a deploy’s manifest
         * @description Returns the exact bytes whose SHA-256 is the digest of the deploy: one line `{sha256} {size} {path}\n` per file, sorted by path in byte order. Returns 404 `not_found` for a deploy that runs a server, which has no files.
         */
        get: operations["manifest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{slug}/deploys/{deployId}/provenance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a deploy’s provenance
         * @description Returns a signed statement about how a job built the deploy: a DSSE envelope that contains an in-toto statement with SLSA provenance. The statement records the repository, commit, plan, builder, lock file and tools, and the times at which the build started and ended. Its subject is the digest of the deploy. `docs/provenance.md` shows how to verify it. Returns 404 `not_found` for a deploy that was not built by a job.
         */
        get: operations["provenance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{slug}/files.zip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a deploy’s files as a zip archive
         * @description A deploy’s archive is always byte-for-byte identical: its paths are sorted, and the modification time of every file is the time of the deploy. Returns 404 `not_found` for a deploy that runs a server, because it has no files.
         */
        get: operations["download"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cli/preflight": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a deploy before uploading its content
         * @description This request stores nothing. Files whose digest is not in `missing` can be deployed as `{ path, sha256 }`, without their content.
         */
        post: operations["preflight"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{slug}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List or export a site’s history
         * @description Returns one page of events, newest first. With `accept: application/x-ndjson`, exports the whole history instead: one line per event as stored in the log, oldest first, followed by a checkpoint signed with a key from `/.well-known/stele-audit-key`. `npm run audit -- verify FILE` verifies an export without this service, and `docs/audit.md` explains how to write another verifier. If a hash is wrong, the export ends with an unsigned line `{ "fault": … }` instead of the checkpoint.
         */
        get: operations["history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/uploads/{sha256}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Upload a file’s content before deploying it
         * @description The body is the content whose SHA-256 digest is in the URL. It is kept for 24 hours, and the same caller’s deploys can refer to it as `{ path, sha256 }`. With `upload-complete: ?0`, the body is only the first part, and PATCH sends the rest. If the content has already been uploaded, the body is not read. Another PUT for an incomplete upload starts it over; to resume it instead, get its progress with HEAD and continue with PATCH.
         */
        put: operations["uploadFile"];
        post?: never;
        /**
         * Cancel an upload
         * @description Deploys that already use the content keep it.
         */
        delete: operations["cancelUpload"];
        options?: never;
        /** Get an upload’s progress */
        head: operations["uploadProgress"];
        /**
         * Resume an upload
         * @description Follows the IETF draft “Resumable Uploads for HTTP”. `upload-offset` is the position of the body within the content, as returned by HEAD. Any other offset is refused with 409, and that response’s `upload-offset` header contains the correct one. If two requests send the same part, one of them gets 409.
         */
        patch: operations["resumeUpload"];
        trace?: never;
    };
    "/v1/sites/{slug}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Watch a site’s events
         * @description Each event is named after its type, and its data is a history entry.
         */
        get: operations["watchSite"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/sites/{slug}/takedown": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take down a site
         * @description All of the site’s URLs return 451. The content is kept.
         */
        post: operations["takeDown"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/sites/{slug}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Restore a site that was taken down */
        post: operations["restore"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{slug}/invites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a site’s open invites
         * @description Owners only. Newest first.
         */
        get: operations["listInvites"];
        put?: never;
        /**
         * Invite someone by email
         * @description Owners only. The email contains a link that works once and expires in seven days. Inviting an address again replaces its earlier invite: the new link has the new role and expires in seven days. People who are already members cannot be invited; change their role with `PATCH …/members/{id}`.
         */
        post: operations["inviteMember"];
        /**
         * Revoke an invite
         * @description Owners only. The emailed link stops working immediately.
         */
        delete: operations["revokeInvite"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invites/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Accept an invite with the link from the email
         * @description Signs in the user whose address the invite was sent to, even if someone else was signed in. The link works once; browsers get a confirmation page first. Users who have become members in the meantime keep the higher of the two roles.
         */
        get: operations["acceptInvite"];
        put?: never;
        /** Accept an invite from its confirmation page */
        post: operations["acceptInviteByButton"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{slug}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a site’s members
         * @description Members only. Longest-standing members first. Owners see all email addresses; other members see only their own.
         */
        get: operations["listMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{slug}/members/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a member, or leave a site
         * @description Owners can remove any member, and every member can leave. The last owner cannot be removed. The member’s open streams for this site are closed immediately, but the member stays signed in.
         */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        /**
         * Change a member’s role
         * @description Owners only. The last owner must remain an owner. Setting the role that a member already has changes nothing.
         */
        patch: operations["changeRole"];
        trace?: never;
    };
    "/v1/sites/{slug}/secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a site’s secrets
         * @description For owners and editors. Sorted by name. Values are never returned.
         */
        get: operations["listSecrets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{slug}/secrets/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set a secret
         * @description Owners only, and not with an access token. Trusted builds that start after this request, and servers from such builds, receive the secret in their environment. Trusted builds are those that an owner starts while signed in, and those of the linked repository. In job logs, each line of the value that has at least six characters is replaced by ••••. A site can have up to 50 secrets.
         */
        put: operations["setSecret"];
        post?: never;
        /**
         * Delete a secret
         * @description Owners only, and not with an access token. All stored values are removed.
         */
        delete: operations["deleteSecret"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{slug}/rename": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rename a site
         * @description Starting with the next request, every former URL of the site redirects to the new one with status 308, and the API still accepts the former slugs. Former slugs stay reserved for the site, so it can be renamed back to any of them.
         */
        post: operations["renameSite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{slug}/capabilities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List a site’s capabilities */
        get: operations["listCapabilities"];
        put?: never;
        /**
         * Enable or disable a site’s capability
         * @description Takes effect with the next request; `egress` takes effect when the server next starts. Requires permission to deploy the site; only its owners can change `egress`.
         */
        post: operations["setCapability"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{slug}/connector/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a site’s connector tokens
         * @description Owners only. Oldest first.
         */
        get: operations["listConnectorTokens"];
        put?: never;
        /**
         * Create a connector token
         * @description Owners only. Agents use this token to poll for work that the site sends to its connector. A site can have up to 50 tokens. Create one for each agent, so that you can revoke them separately. A token stops working when the user who created it is no longer an owner of the site.
         */
        post: operations["issueConnectorToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{slug}/connector/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a connector token
         * @description Owners only. The token stops working immediately. Unfinished work is assigned to another agent.
         */
        delete: operations["revokeConnectorToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{slug}/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a site’s access tokens
         * @description Only for signed-in owners. Newest first.
         */
        get: operations["listSiteTokens"];
        put?: never;
        /**
         * Create an access token for a site
         * @description Only for signed-in owners. The token can do what its role allows on this site only, and never more than the user who created it. A site can have up to 50 access tokens. Create one for each script.
         */
        post: operations["makeSiteToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{slug}/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an access token for a site
         * @description Only for signed-in owners.
         */
        delete: operations["endSiteToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{slug}/publishers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a site’s trusted publishers
         * @description Only for signed-in owners. Newest first.
         */
        get: operations["listPublishers"];
        put?: never;
        /**
         * Add a trusted publisher
         * @description Only for signed-in owners. Lets a repository’s or project’s CI jobs publish the site: a job exchanges the ID token from its issuer at POST /v1/auth/exchange for an access token that expires after fifteen minutes, so no secret is stored anywhere. Claims are compared exactly. A site can have up to 50 trusted publishers.
         */
        post: operations["trustPublisher"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{slug}/publishers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a trusted publisher
         * @description Only for signed-in owners.
         */
        delete: operations["removePublisher"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/exchange": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange a CI job’s ID token for an access token
         * @description The access token can deploy the site that trusts the job, and it expires after fifteen minutes. The same ID token can be exchanged again while it is valid; each exchange is recorded.
         */
        post: operations["exchangeToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List site servers, crashed and running ones first */
        get: operations["listServers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check the process’s health
         * @description Returns 200 while the process is running. `degraded` means that at least one check fails.
         */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check whether the process can accept deploys */
        get: operations["ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/errors/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Explain an error code */
        get: operations["explain"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/llms.txt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a short guide for agents */
        get: operations["index"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/llms-full.txt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the guide for agents with every operation, tool and error code */
        get: operations["whole"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the OpenAPI description */
        get: operations["openapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the limits, rates and reserved slugs that apply to the caller
         * @description A request does not count towards a rate limit in any of these cases: it was refused with 401, 403 or 404; it had a body of at most 64 KiB and was refused before it caused further work; it repeats a request with the same idempotency key; or the error was on our side.
         */
        get: operations["limits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/changelog": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the changelog */
        get: operations["changelog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/changelog.md": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the changelog as Markdown */
        get: operations["changelogText"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/changelog.rss": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the changelog as an RSS feed */
        get: operations["changelogFeed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/security.txt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the security contact
         * @description RFC 9116.
         */
        get: operations["securityText"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/stele-audit-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the public keys for verifying exported histories and provenance statements
         * @description Newest first. Retired keys remain listed, so that you can still verify what they signed.
         */
        get: operations["auditKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cli/install.sh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a script that installs the stele command
         * @description Run it with `curl -fsSL {base_url}/cli/install.sh | sh`. It installs one file to `~/.local/bin`.
         */
        get: operations["installScript"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cli/stele.tgz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Redirect to the archive of the stele command
         * @description The address of the archive contains its version, because npm caches an archive by its address.
         */
        get: operations["newestArchive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cli/stele-{version}.tgz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the stele command as an npm archive
         * @description Run it without installing it: `npx --allow-remote=root {base_url}/cli/stele-VERSION.tgz deploy`.
         */
        get: operations["archive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/waitlist": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Join the waitlist
         * @description Adding an address that is already on the list has no effect and returns the same response.
         */
        post: operations["joinWaitlist"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a sign-in link by email
         * @description The response does not reveal whether an account exists for the address.
         */
        post: operations["startSignIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sign in with an emailed link
         * @description Links work once. A browser other than the one that requested the link gets a page with a button, and the link stays valid until that button is pressed.
         */
        get: operations["verify"];
        put?: never;
        /** Sign in with an emailed link, from the confirmation page */
        post: operations["verifyByButton"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with the code from the email
         * @description For signing in on another device. After 5 wrong codes, all codes sent to the address stop working. The links in the emails stay valid.
         */
        post: operations["code"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/idp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sign in with the identity provider
         * @description For browsers. A browser that arrives from another site gets a page with a link to continue, so that the other site cannot sign visitors in without their consent.
         */
        get: operations["begin"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/idp/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Complete sign-in with the identity provider
         * @description The provider redirects the browser here. Works once, and only in the browser that started the sign-in. Users are identified by issuer and subject, or on their first sign-in by an email address that the provider has verified.
         */
        get: operations["comeBack"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign out
         * @description Ends the current session. Succeeds even if there is no session.
         */
        post: operations["signOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get your account */
        get: operations["me"];
        put?: never;
        post?: never;
        /**
         * Delete your account
         * @description Erases your email address, name, sessions, access tokens and emailed links, and removes you from all sites. Site histories keep only an ID that can no longer be linked to you. If sites would be left without an owner and `sites=delete` was not sent, nothing changes, and the response is 409 `last_owner` with a list of those sites.
         */
        delete: operations["eraseMe"];
        options?: never;
        head?: never;
        /**
         * Change or remove your name
         * @description Past entries in site histories also show the new name.
         */
        patch: operations["renameMe"];
        trace?: never;
    };
    "/v1/me/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your sessions, newest first */
        get: operations["mySessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** End one of your sessions */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/sites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the sites on which you have a role, most recently updated first */
        get: operations["mySites"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dev/outbox.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List unsent emails, newest first (local development only) */
        get: operations["outboxJson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/cli": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Start a sign-in from a terminal
         * @description On a machine with a browser, the terminal opens this URL with `redirect_uri`, and the user signs in if necessary and approves the request on a page. On a machine without a browser, the terminal sends `accept: application/json` to get a ticket, which the user approves at its `url` on any device.
         */
        get: operations["terminalSignIn"];
        put?: never;
        /**
         * Approve or deny a terminal sign-in
         * @description Only for the form on the approval page. Requires the session cookie of a signed-in browser.
         */
        post: operations["answerTerminal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/cli/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the result of a terminal sign-in
         * @description Shows the result to the user who approved or denied the sign-in. If the terminal sent a `redirect_uri`, the page forwards the browser there with `state` and either `code` or `error=access_denied`. For a ticket, the page says that the terminal will continue.
         */
        get: operations["terminalAnswered"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/cli/exchange": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a session for a terminal
         * @description Exchanges a code or a ticket, together with the verifier, for a session. Codes and tickets work once and expire after 10 minutes; a wrong verifier does not use them up. The response is 403 `forbidden` if the user denied the sign-in.
         */
        post: operations["exchangeTerminal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your access tokens for all of your sites, newest first */
        get: operations["myTokens"];
        put?: never;
        /**
         * Create an access token for all of your sites
         * @description For CI or a script. The token works on all of your current and future sites, including those that it creates itself. On each site, it has your role there, capped at the token’s role. It can’t manage access tokens, publishers, members, invites, sessions, slugs or domains, and can’t delete sites.
         */
        post: operations["makeMyToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke an access token */
        delete: operations["endMyToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/sessions/end": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End all of a user’s sessions
         * @description Signs the user out everywhere. Their access tokens and connected apps keep working.
         */
        post: operations["endSessionsOf"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cli/event": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record an event of a command-line run
         * @description Only the caller who recorded the first event of a run can add more events. Callers are identified by their account if they are signed in, otherwise by the edit token they send, otherwise by their IP address. A run can have up to 1,000 events and ends with run.succeeded or run.failed.
         */
        post: operations["recordRunEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cli/runs/{runId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Watch a command-line run
         * @description Streams the events run.started, run.progress, run.log, run.succeeded and run.failed as they are recorded. Anyone who knows the run ID can watch the run.
         */
        get: operations["watchRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/repo/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check how a public repository would be deployed
         * @description Fetches the repository and detects a build plan from its files, without running any of its code. As in a deploy, `plan` overrides parts of the detected plan. `evidence` lists the files that the plan is based on.
         */
        post: operations["checkRepo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/repo/deploy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deploy a public repository
         * @description Without `url`, the linked repository of the site `slug` is built. Only builds that an owner starts while signed in, and builds of the linked repository without `ref`, `rootDirectory` and `plan`, receive the site’s secrets. Queues a job and returns immediately. The job fetches the repository, detects a plan, builds it in a sandbox and publishes the result; follow it at `eventsUrl`. If `plan.kind` is given and this service cannot build it, the request fails with 503 `builder_unavailable`; if it is omitted, the job fails with that code instead.
         */
        post: operations["deployRepo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{slug}/repository": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a site’s linked repository
         * @description For owners and editors.
         */
        get: operations["getLinkedRepository"];
        /**
         * Link a repository to a site
         * @description Only for owners signed in through a browser or a terminal. Replaces any repository that was linked before. Builds of the branch’s head, started with `schedule` or with POST /v1/repo/deploy and only `slug`, receive the site’s secrets, no matter who starts them. The repository is unlinked when the user who linked it is no longer an owner.
         */
        put: operations["linkRepository"];
        post?: never;
        /**
         * Unlink a site’s repository
         * @description Only for owners signed in through a browser or a terminal. Stops running builds that depend on the link.
         */
        delete: operations["unlinkRepository"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{slug}/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a site’s jobs, newest first
         * @description Jobs are deleted 30 days after they finish, or after the period that the operator has set in STELE_STREAMS_KEPT.
         */
        get: operations["listJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{slug}/rerun": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Repeat a site’s last repository deploy
         * @description Deploys the current content of the repository, whether or not the last job succeeded. The build receives secrets only if an owner reruns it while signed in, or if it is a build of the linked repository.
         */
        post: operations["rerun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a job */
        get: operations["getJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop a job
         * @description The job’s processes stop within five seconds. Stopping a job that is already stopping or stopped has no effect.
         */
        post: operations["stopJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow a job
         * @description Streams these events: job.queued, job.started, job.step, job.log, job.stop-requested, and finally one of job.succeeded, job.failed and job.stopped.
         */
        get: operations["watchJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{slug}/domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List a site’s domains, newest first */
        get: operations["listDomains"];
        put?: never;
        /**
         * Add a custom domain to a site
         * @description Returns the DNS records to set. The service checks them at increasing intervals, and immediately when you POST to the domain. Once both records are found, the domain serves the site. Several sites can request the same domain; it goes to the site whose TXT record is found. Adding a pending or active domain again returns the same records.
         */
        post: operations["addDomain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the domains of all sites on which you have a role, newest first */
        get: operations["myDomains"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{slug}/domains/access": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change a domain’s access settings
         * @description Takes effect with the next request, for this domain only. Omitted settings stay unchanged.
         */
        post: operations["setDomainAccess"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{slug}/domains/{hostname}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a domain’s DNS records now
         * @description Returns, for each record, what was expected, what was found and what to do. A domain is checked at most once every 5 seconds; requests in between return the previous result.
         */
        post: operations["checkDomain"];
        /**
         * Remove a domain from a site
         * @description Takes effect with the next request. Remove the domain’s DNS records as well: while they point to this service, others may be able to use the domain for their own sites.
         */
        delete: operations["removeDomain"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{slug}/domains/{hostname}/zone": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a domain’s DNS records as a zone file
         * @description Returns the TXT record and the CNAME record in master file format (RFC 1035). At the apex of a zone, where CNAME records are not allowed, the CNAME record is replaced by address records for this service. Records and hints that do not apply to every zone are in comments.
         */
        get: operations["exportZone"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{slug}/connector/invoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Invoke a site’s connector
         * @description Assigns work to one of the site’s agents and waits for the result. Available to pages of the site, which are identified by their `Origin`, and to callers with a role on the site. With `accept: text/event-stream`, the response is a stream of `partial` events that ends with `succeeded` or `failed`. If no result arrives within `wait` seconds, or within 15 minutes if `wait` is not sent, the stream ends with `queued`.
         */
        post: operations["invokeConnector"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/connector/poll": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Poll for work
         * @description For agents, which send a connector token as the bearer token. Responds immediately if work is waiting, otherwise as soon as work arrives. HEAD requests do not lease work.
         */
        get: operations["pollConnector"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/connector/result/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report a work result
         * @description For the agent that has leased the work. Only the first result is recorded: sending the same result again returns 200, and sending a different one returns 409 `lease_lost`. With `partial`, the output is added as a part of the result. Callers that requested a stream receive each part immediately.
         */
        post: operations["reportResult"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{slug}/connector/invocations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a site’s connector invocations
         * @description Owners only. Inputs and outputs are not included, because only the caller and the agent can see them.
         */
        get: operations["listInvocations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{slug}/connector/invocations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an invocation
         * @description Available to anyone who can see the site and knows the ID, such as the caller who created the invocation. The output is kept for one day after the invocation ends.
         */
        get: operations["showInvocation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/code/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the page templates */
        get: operations["listTemplates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/code/templates/{name}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Preview a template
         * @description Returns the template filled with example values. The page is sandboxed and runs no scripts.
         */
        get: operations["previewTemplate"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/code/generate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Generate a page from a template or a prompt
         * @description With `accept: text/event-stream`, the page is streamed while it is being written: `delta { text }` events, then `done` with the complete response, or `error` with a problem. Only the page in `done` has been checked: it is a complete document, and it loads nothing from other hosts except scripts and style sheets from hosts that the operator allows.
         */
        post: operations["generate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{slug}/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a site’s logs: requests, deploys, jobs and changes
         * @description Returns a page, newest first, or the whole log as CSV (at most 100,000 lines). As `text/event-stream`, `application/x-ndjson` or `text/plain`, the response is a stream that starts with the latest entries, oldest first, and continues with new ones. It resumes after `Last-Event-ID` or `after`. Each event is named after the kind of its entry. A client that is too slow gets `skipped` with `{ count, after, before }` instead of the entries that it missed; request a page with this `after` and `before` to get them.
         */
        get: operations["logs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sites/{slug}/analytics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a site’s visits
         * @description Returns visits over time, the pages viewed, the sources of visitors, and missing pages. Requires permission to read the site’s history and the `analytics` capability. Times are in UTC. New requests are included within a minute. Each list contains the top 100 entries. The CSV response contains only the time series.
         */
        get: operations["analytics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/traffic": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List traffic for all sites, busiest first
         * @description Counts the requests that are still retained (`STELE_ACCESS_KEPT`), including requests to sites without analytics.
         */
        get: operations["allSitesTraffic"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the service status
         * @description Returns the results of probing each component from inside the service, and the incidents that the operator has reported. While the database is unavailable, the response contains the last known results and `isCurrent` is false. Components that are not set up on this service are omitted. Browsers get a page.
         */
        get: operations["status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/status.rss": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the incidents as an RSS feed */
        get: operations["statusFeed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/incidents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List all incidents, newest first */
        get: operations["listIncidents"];
        put?: never;
        /** Report an incident on the status page */
        post: operations["tellIncident"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/incidents/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Add an update to an incident */
        patch: operations["updateIncident"];
        trace?: never;
    };
    "/v1/me/grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your connected apps, newest first */
        get: operations["myGrants"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/grants/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke a connected app’s access */
        delete: operations["endGrant"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/s/{slug}/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Visit a published site in a sandbox
         * @description The site is also served on its own host without the sandbox. The response to a deploy contains that URL as `url`.
         */
        get: operations["visit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        DeployResult: {
            slug: string;
            /** @description Live URL of the site, on its own host. */
            url: string;
            deployId: string;
            /** @description Edit token of the site. Only returned by the deploy that creates the site, so store it: it cannot be retrieved later. */
            editToken?: string;
            files: number;
            claimUrl?: string;
            expiresAt?: string;
            /** @description `sha256:` followed by the SHA-256 of the manifest: one line `{sha256} {size} {path}\n` per file, sorted by path in byte order. */
            digest: string;
            bytes: number;
            /** @description Whether the content is identical to that of the previous live deploy. */
            unchanged: boolean;
            /** @description URL that always shows this deploy, even when another deploy is live. */
            previewUrl: string;
            /** @description URL of the site on the service’s own host, where it is served in a sandbox, or null if the site is not available there. */
            pathUrl: string | null;
            createdAt: string;
            warnings: {
                file: string;
                line?: number;
                message: string;
            }[];
        };
        PreparedUpload: {
            /** @description URL that accepts one deploy with PUT, in any form that POST /v1/deploy accepts, without other credentials. */
            uploadUrl: string;
            /** @description Shell command that sends a folder. Replace FOLDER with its path. */
            command: string;
            expiresAt: string;
        };
        RolledBack: {
            slug: string;
            url: string;
            deployId: string;
            /** @description ID of the deploy that was live until now, or the same as `deployId` if nothing changed. */
            previousDeployId: string;
            rolledBackAt: string;
        };
        ClaimStarted: {
            /** @enum {string} */
            status: "sent";
            /** @description Masked email address, such as `a•••@example.org`. */
            email: string;
            expiresAt: string;
        };
        ClaimedByMail: {
            slug: string;
            user: components["schemas"]["User"];
            claimedAt: string;
            /** @description IDs of jobs that were started with the edit token and have been stopped, oldest first. To repeat the last one: POST /v1/sites/{slug}/rerun. */
            stoppedJobs?: string[];
            /** @description Session token for API clients, sent as `Authorization: Bearer …`. Shown only once. */
            token: string;
        };
        User: {
            id: string;
            email: string;
            name: string | null;
            createdAt: string;
        };
        /** @description The claimed site, which no longer expires. Its edit token no longer works. */
        Claimed: {
            slug: string;
            user: components["schemas"]["User"];
            claimedAt: string;
            /** @description IDs of jobs that were started with the edit token and have been stopped, oldest first. To repeat the last one: POST /v1/sites/{slug}/rerun. */
            stoppedJobs?: string[];
        };
        Site: {
            id: string;
            slug: string;
            url: string;
            /** @description URL of the site on the service’s own host, where it is served in a sandbox, or null if the site is not available there because it is private or runs a server. */
            pathUrl: string | null;
            title: string;
            description: string;
            /** @enum {string} */
            visibility: "public" | "password" | "members";
            /** @enum {string} */
            status: "live" | "expired" | "deleted";
            claimed: boolean;
            deployId: string | null;
            createdAt: string;
            updatedAt: string;
            expiresAt?: string;
            /** @description Names of the enabled capabilities. */
            capabilities: string[];
            revision: number;
            /** @description State of the site’s server. Only present if the live deploy runs one. */
            server?: {
                /** @enum {string} */
                state: "starting" | "running" | "sleeping" | "crashed";
                since: string;
                /** @description Why the server crashed. */
                reason?: string;
            };
        };
        Deploy: {
            deployId: string;
            number: number;
            /** @enum {string} */
            status: "live" | "superseded" | "staged";
            files: number;
            bytes: number;
            digest: string;
            /** @description Present only if the deploy runs a server instead of serving files. */
            program?: {
                /** @enum {string} */
                kind: "next" | "container";
            };
            /** @enum {string} */
            source: "upload" | "repo" | "code" | "mcp";
            message: string | null;
            actor: {
                /** @enum {string} */
                kind: "anonymous" | "user" | "system";
                id?: string;
                /** @description Current name of the actor: the user’s name, otherwise their email address if the caller can see it in the list of members, otherwise “a member”. “a former member” if the account was erased, and `CI “…”` for a script with an access token. */
                name?: string;
                /** @description Name of the connected app that acted for the user. The app chooses this name itself. */
                client?: string;
                /** @description ID of the connected app’s grant. */
                grant?: string;
                /** @description ID of the access token that a script used. */
                token?: string;
                /** @description ID of the trusted publisher that the access token came from. */
                publisher?: string;
            };
            /** @description ID of the job, for a deploy from a repository. */
            jobId?: string;
            commit?: string;
            /** @description Whether the job that built the deploy was trusted with the site’s secrets. A server receives secrets only if its deploy is trusted. Omitted for deploys that were not built by a job, and for old deploys for which this was not recorded. */
            trusted?: boolean;
            /** @description The program that sent the deploy, such as `stele-cli/0.1.0; agent=claude-code`, as it named itself in the header `stele-client`. Omitted if it gave no name. */
            client?: string;
            createdAt: string;
            previewUrl: string;
            /** @description URL of the manifest, whose SHA-256 is `digest`. Omitted for deploys that run a server; their `digest` is that of the build output or image. */
            manifestUrl?: string;
            /** @description URL of the signed provenance, for a deploy that was built by a job. */
            provenanceUrl?: string;
            /** @description Time at which the deploy last went live, or null if it never has. */
            liveFrom: string | null;
            liveUntil: string | null;
        };
        DeployDifference: {
            added: {
                path: string;
                size: number;
                sha256: string;
            }[];
            /** @description Files whose content differs, with their size and digest in the deploy `to`. */
            changed: {
                path: string;
                size: number;
                sha256: string;
            }[];
            removed: {
                path: string;
                size: number;
                sha256: string;
            }[];
        };
        Files: {
            items: {
                path: string;
                size: number;
                type: string;
                sha256: string;
            }[];
            page: number;
            limit: number;
            total: number;
            deployId: string;
            digest: string;
        };
        Preflight: {
            /** @description True if no problems were found. Some content may still need to be uploaded first. */
            ok: boolean;
            user?: components["schemas"]["User"];
            slug?: string;
            /** @description Digests of the content that must be uploaded: everything that is neither part of a deploy of this site nor already uploaded by the caller. Each digest is listed once, in the order of `files`. */
            missing: string[];
            /** @description Upload token for a caller without credentials, valid for 24 hours. Send it as `x-svc-upload-token` with uploads, and with the deploy that refers to them. */
            uploadToken?: string;
            /** @description Limits for deploys of this caller, the same as `deploy` in /v1/limits. */
            limits: {
                /** @description Maximum total size of a deploy’s files, in bytes. */
                bytes: number;
                /** @description Maximum size of a file, in bytes. */
                fileBytes: number;
                files: number;
                /** @description Maximum size of a JSON or HTML deploy body, in bytes. */
                jsonBytes: number;
            };
            latestVersion: string;
            /** @description All problems that would cause the deploy to be refused. */
            problems: {
                path?: string;
                /** @enum {string} */
                code: "invalid_request" | "client_outdated" | "no_files" | "invalid_path" | "blocked_path" | "invalid_slug" | "invalid_expires" | "expires_needs_anonymous" | "invalid_token" | "unauthenticated" | "forbidden" | "edit_token_invalid" | "cross_origin" | "capability_disabled" | "not_found" | "site_not_found" | "deploy_not_found" | "job_not_found" | "method_not_allowed" | "slug_taken" | "already_claimed" | "job_finished" | "nothing_to_rerun" | "domain_taken" | "already_member" | "last_owner" | "lease_lost" | "conflict" | "idempotency_in_progress" | "site_expired" | "revision_mismatch" | "too_large" | "too_many_files" | "unsupported_media_type" | "wrong_host" | "idempotency_key_reused" | "repo_unreachable" | "repo_not_allowed" | "plan_not_detected" | "blob_missing" | "digest_mismatch" | "generation_refused" | "generation_incomplete" | "rate_limited" | "quota_exceeded" | "taken_down" | "unavailable" | "generator_unavailable" | "builder_unavailable" | "no_agent" | "server_failed" | "server_starting" | "server_timeout" | "storage_full";
                message: string;
            }[];
        };
        /** @description `hash` is the SHA-256 of the previous hash (its 64 hexadecimal digits, or nothing for the first event) followed by the canonical JSON (RFC 8785) of { actor, at, data, id, revision, schema, stream, type }, where `actor` has no `name`. */
        HistoryEntry: {
            id: string;
            stream: string;
            /** @description Position of the event in the site’s history, starting at 1 without gaps. */
            revision: number;
            /** @description Position of the event in the service-wide event log, as a string of digits. */
            position: string;
            type: string;
            schema: number;
            at: string;
            /** @description Who caused the event: `kind`, and for a user also `id`. If a connected app acted for the user, `client` is the name that the app gave itself and `grant` is the ID of its grant. If a script acted, `token` is the ID of its access token and `publisher` is the ID of the trusted publisher that the token came from. History pages and the event stream add the current `name`, which is neither recorded nor hashed: the user’s name, otherwise their email address if the caller can see it in the list of members, otherwise “a member”. It is “a former member” if the account was erased, and `CI “…”` for a script. */
            actor: {
                [key: string]: string;
            };
            summary: string;
            data: {
                [key: string]: unknown;
            };
            hash: string;
            previousHash: string | null;
        };
        Upload: {
            sha256: string;
            size: number;
            /** @description Time at which this upload expires. Until then, deploys can refer to it. */
            expiresAt: string;
        };
        TakenDown: {
            slug: string;
            takenDown: boolean;
        };
        Invite: {
            id: string;
            /** @description Email address that the invite was sent to, in lower case, or null if the address has been erased. */
            email: string | null;
            /** @enum {string} */
            role: "owner" | "editor" | "viewer";
            /** @description User ID of the owner who sent the invite, or null if it was not recorded. */
            invitedBy: string | null;
            createdAt: string;
            expiresAt: string;
        };
        Invites: {
            items: components["schemas"]["Invite"][];
            page: number;
            limit: number;
            total: number;
        };
        /** @description The invited user, who is now a member of the site and signed in. */
        Joined: {
            slug: string;
            memberId: string;
            /** @enum {string} */
            role: "owner" | "editor" | "viewer";
            user: components["schemas"]["User"];
            joinedAt: string;
            /** @description Session token for API clients, sent as `Authorization: Bearer …`. Shown only once. */
            token: string;
        };
        Members: {
            items: components["schemas"]["Member"][];
            page: number;
            limit: number;
            total: number;
        };
        Member: {
            id: string;
            userId: string;
            name: string | null;
            /** @description Visible only to owners and to the member; otherwise null. */
            email: string | null;
            /** @enum {string} */
            role: "owner" | "editor" | "viewer";
            /** @description Time at which the user became a member. Omitted while that change is still being processed. */
            since?: string;
        };
        Secrets: {
            items: components["schemas"]["Secret"][];
            page: number;
            limit: number;
            total: number;
        };
        Secret: {
            name: string;
            /** @description Increases each time the secret is set. */
            version: number;
            updatedAt: string;
        };
        Capabilities: {
            items: components["schemas"]["Capability"][];
        };
        Capability: {
            /** @enum {string} */
            name: "spa" | "listing" | "connector" | "analytics" | "egress";
            enabled: boolean;
            description: string;
            config: {
                [key: string]: unknown;
            };
        };
        ConnectorTokenIssued: {
            id: string;
            /** @description Token that the agent sends as `Authorization: Bearer …`. Shown only once. */
            token: string;
            name: string;
            createdAt: string;
        };
        ConnectorTokens: {
            items: components["schemas"]["ConnectorToken"][];
            page: number;
            limit: number;
            total: number;
        };
        ConnectorToken: {
            id: string;
            name: string;
            createdAt: string;
            /** @description Time of the agent’s last poll, or null if it has never polled. */
            lastPolledAt: string | null;
        };
        CreatedAccessToken: {
            id: string;
            name: string;
            /**
             * @description Highest role that the token can have on a site.
             * @enum {string}
             */
            role: "owner" | "editor" | "viewer";
            createdAt: string;
            expiresAt?: string;
            /** @description Day (UTC) on which the token was last used. Absent if it has never been used. */
            lastUsedAt?: string;
            /** @description The token, for `Authorization: Bearer …`. Shown only once. */
            token: string;
        };
        AccessTokens: {
            items: components["schemas"]["AccessToken"][];
            page: number;
            limit: number;
            total: number;
        };
        AccessToken: {
            id: string;
            name: string;
            /**
             * @description Highest role that the token can have on a site.
             * @enum {string}
             */
            role: "owner" | "editor" | "viewer";
            createdAt: string;
            expiresAt?: string;
            /** @description Day (UTC) on which the token was last used. Absent if it has never been used. */
            lastUsedAt?: string;
        };
        Publisher: {
            id: string;
            issuer: string;
            /** @description The configured claims, and the numeric IDs of the repository or project that first used the publisher. Later jobs must have the same IDs. */
            claims: {
                [key: string]: string;
            };
            createdAt: string;
            /** @description Omitted if the publisher has never been used. */
            lastUsedAt?: string;
        };
        Publishers: {
            items: components["schemas"]["Publisher"][];
            page: number;
            limit: number;
            total: number;
        };
        ExchangedToken: {
            /** @description Access token, sent as `Authorization: Bearer …`. */
            token: string;
            slug: string;
            /** @enum {string} */
            role: "editor";
            expiresAt: string;
        };
        Servers: {
            items: {
                siteId: string;
                /** @description Slug that the site had when the server was started. */
                slug: string;
                deployId: string;
                /** @enum {string} */
                kind: "next" | "container";
                /** @enum {string} */
                state: "starting" | "running" | "sleeping" | "crashed";
                since: string;
                /** @description Why the server crashed. */
                reason?: string;
                /** @description Worker process that runs the server, if any. */
                worker?: string;
                memoryBytes?: number;
                /** @description Number of requests and WebSocket connections in progress. */
                uses: number;
                starts: number;
                /** @description Duration of the last startup, in milliseconds. */
                startMs?: number;
            }[];
            page: number;
            limit: number;
            total: number;
            /** @description Number of worker processes that run servers. */
            workers: number;
            /** @description Number of servers in each state. */
            states: {
                [key: string]: number;
            };
        };
        Health: {
            /** @enum {string} */
            status: "ok" | "degraded";
            version: string;
            eventStore: {
                /** @enum {string} */
                engine: "postgresql" | "kurrentdb";
            };
            checks: {
                /** @enum {string} */
                eventStore: "ok" | "failing";
                /** @enum {string} */
                database: "ok" | "failing";
                projections: {
                    /** @description How much of the event log the read models have not processed yet. */
                    lag: number;
                    /**
                     * @description Unit of `lag` if events are stored in EventStoreDB. Otherwise, `lag` counts events.
                     * @enum {string}
                     */
                    unit?: "bytes";
                    /** @description Number of streams with an event that a read model cannot apply. Later events in these streams are not applied either. */
                    stopped: number;
                };
                /** @enum {string} */
                blobs: "ok" | "failing";
                /**
                 * @description Present if Redis is configured. While Redis is not responding, each process counts requests for rate limits on its own. Nothing else depends on Redis.
                 * @enum {string}
                 */
                redis?: "ok" | "failing";
                /**
                 * @description Whether this machine has the tools to read repositories: git, prlimit and timeout.
                 * @enum {string}
                 */
                repositories: "ok" | "unavailable";
                builder: {
                    /** @enum {string} */
                    engine: "bubblewrap" | "container" | "none";
                    /** @description Why this process cannot build sites, and how to fix it. */
                    reason?: string;
                };
                generator: {
                    /**
                     * @description Whether a model is configured for prompts. The check does not call the model, because that can cost money.
                     * @enum {string}
                     */
                    model: "configured" | "none";
                };
            };
            /** @description Why this process cannot follow the event log, and how to fix it. Absent if there is no problem. */
            trouble?: string;
        };
        Ready: {
            /** @enum {string} */
            status: "ready";
        };
        ErrorCode: {
            code: string;
            status: number;
            title: string;
            /** @description Meaning of the code. In an error response, `detail` is about the request instead. */
            detail: string;
            suggestion?: string;
            retryable: boolean;
        };
        Limits: {
            /**
             * @description Kind of caller that sent this request.
             * @enum {string}
             */
            caller: "anonymous" | "user";
            deploy: {
                /** @description Maximum total size of a deploy’s files. */
                bytes: number;
                /** @description Maximum size of a file. */
                fileBytes: number;
                files: number;
                /** @description Maximum size of a JSON or HTML deploy body. */
                jsonBytes: number;
                /** @description Maximum size of the build output or image of a deploy that runs as a server. File limits do not apply to such deploys. */
                serverBytes: number;
                /** @description Seconds until a new site of this caller expires, unless the site is claimed or `expires` is set. Null if new sites do not expire. */
                expiresAfter: number | null;
            };
            /** @description Maximum size of any other JSON body. */
            jsonBytes: number;
            slug: {
                pattern: string;
                /** @description Reserved slugs, which no site can have. */
                reserved: string[];
                /** @description Regular expressions that match additional reserved slugs. */
                reservedPatterns: string[];
            };
            rates: {
                enforced: boolean;
                items: {
                    /** @description Name of the rate limit in the `ratelimit-policy` and `ratelimit` headers. */
                    name: string;
                    /** @description Maximum number of requests, or of bytes if the name ends in -bytes. */
                    limit: number;
                    seconds: number;
                    /**
                     * @description Scope in which requests are counted. IPv6 addresses are grouped by /64 prefix.
                     * @enum {string}
                     */
                    per: "address" | "site" | "email" | "user" | "address and site";
                }[];
            };
        };
        Changelog: {
            versions: {
                /** @description Semantic version, or `Unreleased`. */
                version: string;
                /** @description Release date as `YYYY-MM-DD`, or null if not released yet. */
                date: string | null;
                /** @description Changes by kind, as defined by keepachangelog.com. Each entry is a line of Markdown. */
                changes: {
                    added?: string[];
                    changed?: string[];
                    deprecated?: string[];
                    removed?: string[];
                    fixed?: string[];
                    security?: string[];
                };
            }[];
        };
        /** @description A JSON Web Key Set (RFC 7517, RFC 8037). */
        AuditKeys: {
            keys: {
                /** @enum {string} */
                kty: "OKP";
                /** @enum {string} */
                crv: "Ed25519";
                /** @description The 32 bytes of the public key, encoded as base64url. */
                x: string;
                /** @description Thumbprint of the key (RFC 7638). Appears as `keyId` in a checkpoint and as `keyid` in DSSE. */
                kid: string;
                /** @enum {string} */
                use: "sig";
                madeAt: string;
                /** @description Time at which the key was retired, or null if it is in use. A retired key never signs anything dated later than this. */
                retiredAt: string | null;
            }[];
        };
        WaitlistJoined: {
            /** @enum {string} */
            status: "joined";
        };
        SignInStarted: {
            /** @enum {string} */
            status: "sent";
        };
        SignedIn: {
            user: components["schemas"]["User"];
            /** @description Time at which the session expires if it is not used again. */
            expiresAt: string;
            /** @description Session token, for `Authorization: Bearer …`. Shown only once. */
            token: string;
        };
        Me: {
            id: string;
            email: string;
            name: string | null;
            createdAt: string;
            /** @description Number of sites on which you have a role. */
            sites: number;
            limits: {
                /** @description Maximum total size of one deploy, in bytes. */
                bytes: number;
                fileBytes: number;
                files: number;
            };
        };
        SessionList: {
            items: components["schemas"]["Session"][];
        };
        Session: {
            id: string;
            /** @description Whether this is the session used for this request. */
            current: boolean;
            client: string | null;
            /**
             * @description Client that uses the session: a browser, an API client that signed in without a browser (`program`), or a terminal that you approved.
             * @enum {string}
             */
            purpose: "browser" | "program" | "terminal";
            createdAt: string;
            lastUsedAt: string;
            expiresAt: string;
        };
        MySites: {
            items: components["schemas"]["MySite"][];
            page: number;
            limit: number;
            total: number;
        };
        MySite: {
            slug: string;
            url: string;
            title: string;
            /** @enum {string} */
            role: "owner" | "editor" | "viewer";
            /** @enum {string} */
            visibility: "public" | "password" | "members";
            deployId: string | null;
            files: number;
            bytes: number;
            updatedAt: string;
            /** @description Active custom domains of the site. */
            domains: string[];
            source: string | null;
        };
        OutboxEntries: {
            at: string;
            to: string;
            subject: string;
            text: string;
            links: string[];
        }[];
        TerminalTicket: {
            /** @description Secret to send to /v1/auth/cli/exchange. Returned only once. */
            ticket: string;
            /** @description Code to display. The user checks that the approval page shows the same one. */
            userCode: string;
            /** @description URL to display. The user opens it on any device to approve the sign-in. */
            url: string;
            expiresAt: string;
            /** @description Minimum number of seconds between two exchange requests. */
            interval: number;
        };
        TerminalPending: {
            /** @enum {string} */
            status: "pending";
            /**
             * @description Present if you poll much more often than the ticket’s `interval`. Wait for the number of seconds in `retry-after`.
             * @enum {boolean}
             */
            slowDown?: true;
        };
        MyAccessTokens: {
            items: components["schemas"]["AccessToken"][];
        };
        RunEventRecorded: {
            id: string;
            runId: string;
            /** @description Position of the event in the run, starting at 1. Also the ID of the event in the run’s stream. */
            revision: number;
        };
        BuildPlanWishes: {
            /**
             * @description `static` publishes files without a build; `static_build` runs a build and publishes a folder from its output; `next` builds a Next.js project and publishes its files or runs its server; `container` builds a Dockerfile and runs the image.
             * @enum {string}
             */
            kind?: "static" | "static_build" | "next" | "container";
            framework?: string | null;
            packageManager?: string | null;
            nodeVersion?: string | null;
            installCommand?: string | null;
            buildCommand?: string | null;
            /** @description Folder to publish, relative to `rootDirectory`. */
            outputDirectory?: string | null;
            /** @description Folder that contains the site, relative to the repository root. `.` is the root itself. */
            rootDirectory?: string;
            dockerfile?: string;
        };
        RepoCheck: {
            repo: {
                url: string;
                /** @description The requested branch, tag or commit, or the name of the default branch. */
                ref: string;
                commit: string;
            };
            plan: components["schemas"]["BuildPlan"];
            evidence: {
                file: string;
                why: string;
            }[];
            warnings: string[];
        };
        BuildPlan: {
            /**
             * @description `static` publishes files without a build; `static_build` runs a build and publishes a folder from its output; `next` builds a Next.js project and publishes its files or runs its server; `container` builds a Dockerfile and runs the image.
             * @enum {string}
             */
            kind: "static" | "static_build" | "next" | "container";
            framework: string | null;
            packageManager: string | null;
            nodeVersion: string | null;
            installCommand: string | null;
            buildCommand: string | null;
            /** @description Folder to publish, relative to `rootDirectory`. */
            outputDirectory: string | null;
            /** @description Folder that contains the site, relative to the repository root. `.` is the root itself. */
            rootDirectory: string;
            dockerfile?: string;
        };
        JobStarted: {
            jobId: string;
            /** @enum {string} */
            status: "queued";
            slug: string;
            /** @description URL of the job’s event stream. It remains available after the job has ended. */
            eventsUrl: string;
            /** @description Edit token of the new site; only present if the job created an anonymous site. */
            editToken?: string;
            claimUrl?: string;
        };
        LinkedRepository: {
            /**
             * @description HTTPS URL of a public repository. The URL of a branch, folder or file in it (`…/tree/main/docs`) also sets `ref` and `rootDirectory`, and a fragment (`#main`) sets `ref`. SSH URLs and URLs without `https://` are converted to HTTPS URLs.
             * @example https://github.com/owner/name
             */
            url: string;
            /** @description Name of the branch to build; the default branch if omitted. */
            branch?: string;
            /** @description Folder that contains the site. If omitted, `build.base` from netlify.toml is used, or else the repository root. */
            rootDirectory?: string;
            /** @description Overrides for parts of the detected build plan. */
            plan?: components["schemas"]["BuildPlanWishes"];
            /**
             * @description Cron expression with five fields, in UTC, at most hourly. A scheduled build starts up to five minutes later.
             * @example 0 3 * * *
             */
            schedule?: string;
            skipUnchanged: boolean;
        };
        Jobs: {
            items: components["schemas"]["Job"][];
            page: number;
            limit: number;
            total: number;
        };
        Job: {
            id: string;
            /** @enum {string} */
            kind: "repo_deploy" | "rerun";
            /** @enum {string} */
            status: "queued" | "running" | "stopping" | "succeeded" | "failed" | "stopped";
            /** @description The build plan, or null until it is detected. */
            plan: components["schemas"]["BuildPlan"] | null;
            steps: {
                /** @enum {string} */
                name: "clone" | "detect" | "install" | "build" | "publish" | "start";
                /** @enum {string} */
                status: "running" | "succeeded" | "failed" | "skipped" | "stopped";
                startedAt: string;
                finishedAt: string | null;
            }[];
            slug: string;
            commit: string | null;
            deployId?: string;
            /** @description URL of the site. Only set after the job has published. */
            url?: string;
            /** @description Whether the published content is identical to that of the previous live deploy. Only set after the job has published. */
            unchanged?: boolean;
            /** @description Why the job failed, or why the service stopped it: `right_ended` if whoever started it no longer has the required rights. */
            error?: {
                code: string;
                message: string;
            };
            createdAt: string;
            startedAt: string | null;
            finishedAt: string | null;
            /** @description Revision of the job’s event stream. To receive only later events, pass it as `after` when you request the events. */
            revision: number;
            eventsUrl: string;
        };
        AddedDomain: {
            hostname: string;
            slug: string;
            /**
             * @description `pending` until the DNS records are found; `failed` if they are not found within 7 days; `active` while the domain serves the site; `lost` if the records have been missing for 72 hours or point to another site.
             * @enum {string}
             */
            status: "pending" | "active" | "lost" | "failed";
            verification: {
                /** @enum {string} */
                type: "TXT";
                /** @description Name of the DNS record. */
                name: string;
                value: string;
            };
            target: {
                /** @enum {string} */
                type: "CNAME";
                /** @description Name of the DNS record. */
                name: string;
                value: string;
            };
            /** @description Warning that the name could be mistaken for another one, or null. */
            warning: string | null;
            /** @description Another of the site’s domains, to which visitors are redirected, or null. */
            redirectTo: string | null;
            /** @description Who can view the site at this domain, or null if the site’s own setting applies. */
            visibility: ("public" | "password" | "members") | null;
            hsts: boolean;
            /** @description Results of the last check. */
            records: components["schemas"]["DomainRecord"][];
            checkedAt: string | null;
            /** @description What to do about the first problem that the last check found. */
            error?: string;
            /** @description Time at which a pending domain becomes `failed`, or an active domain with missing records becomes `lost`, unless the records are found first. Null for all other domains. */
            until: string | null;
            createdAt: string;
            activeAt: string | null;
            /** @description The same hostname with `www.` added or removed, or null. Visitors are likely to try it too, so add it with `redirectTo`. */
            pair: string | null;
        };
        DomainRecord: {
            /** @enum {string} */
            type: "TXT" | "CNAME" | "A" | "AAAA" | "CAA";
            name: string;
            expected: string;
            found: string[];
            /**
             * @description `unknown` means that no DNS server responded, so nothing is known about the record.
             * @enum {string}
             */
            state: "right" | "wrong" | "missing" | "unknown";
            /** @description What to do about the record; empty if nothing needs to be done. */
            advice: string;
        };
        Domains: {
            items: components["schemas"]["Domain"][];
            page: number;
            limit: number;
            total: number;
        };
        Domain: {
            hostname: string;
            slug: string;
            /**
             * @description `pending` until the DNS records are found; `failed` if they are not found within 7 days; `active` while the domain serves the site; `lost` if the records have been missing for 72 hours or point to another site.
             * @enum {string}
             */
            status: "pending" | "active" | "lost" | "failed";
            verification: {
                /** @enum {string} */
                type: "TXT";
                /** @description Name of the DNS record. */
                name: string;
                value: string;
            };
            target: {
                /** @enum {string} */
                type: "CNAME";
                /** @description Name of the DNS record. */
                name: string;
                value: string;
            };
            /** @description Warning that the name could be mistaken for another one, or null. */
            warning: string | null;
            /** @description Another of the site’s domains, to which visitors are redirected, or null. */
            redirectTo: string | null;
            /** @description Who can view the site at this domain, or null if the site’s own setting applies. */
            visibility: ("public" | "password" | "members") | null;
            hsts: boolean;
            /** @description Results of the last check. */
            records: components["schemas"]["DomainRecord"][];
            checkedAt: string | null;
            /** @description What to do about the first problem that the last check found. */
            error?: string;
            /** @description Time at which a pending domain becomes `failed`, or an active domain with missing records becomes `lost`, unless the records are found first. Null for all other domains. */
            until: string | null;
            createdAt: string;
            activeAt: string | null;
        };
        InvocationAnswer: {
            id: string;
            /** @enum {string} */
            status: "queued" | "succeeded" | "failed";
            /** @description The agent’s output. */
            output?: unknown;
            /** @description Why the invocation failed. */
            error?: {
                message: string;
            };
        };
        ConnectorWork: {
            id: string;
            slug: string;
            /** @description Any JSON value. */
            input: unknown;
            /** @description Number of times this work has been assigned, including this time. */
            attempt: number;
            /** @description Time by which a result must arrive. Otherwise, the work is assigned again. Work is assigned up to 3 times in total. */
            deadline: string;
        };
        ConnectorResultRecorded: {
            id: string;
            /** @enum {string} */
            status: "leased" | "succeeded" | "failed";
            attempt: number;
            /** @description Time by which the next part or the result must arrive. Present if a part was sent. */
            deadline?: string;
        };
        Invocations: {
            items: components["schemas"]["ListedInvocation"][];
            page: number;
            limit: number;
            total: number;
        };
        ListedInvocation: {
            id: string;
            /**
             * @description `leased`: an agent is working on the invocation. `expired`: no agent returned a result in time, or the site was deleted.
             * @enum {string}
             */
            status: "queued" | "leased" | "succeeded" | "failed" | "expired";
            priority: number;
            /** @description Number of times the work has been assigned to an agent. */
            attempt: number;
            queuedAt: string;
            finishedAt: string | null;
            /** @description ID of the connector token whose agent was last assigned the work. */
            tokenId: string | null;
        };
        Invocation: {
            id: string;
            /**
             * @description `leased`: an agent is working on the invocation. `expired`: no agent returned a result in time, or the site was deleted.
             * @enum {string}
             */
            status: "queued" | "leased" | "succeeded" | "failed" | "expired";
            priority: number;
            /** @description Number of times the work has been assigned to an agent. */
            attempt: number;
            queuedAt: string;
            finishedAt: string | null;
            /** @description The agent’s output. */
            output?: unknown;
            /** @description Why the invocation failed. */
            error?: {
                message: string;
            };
        };
        Templates: {
            items: components["schemas"]["Template"][];
            page: number;
            limit: number;
            total: number;
        };
        Template: {
            name: string;
            title: string;
            description: string;
            /** @description JSON Schema (2020-12) for `parameters` when generating a page from this template. */
            parameters: {
                [key: string]: unknown;
            };
            /** @description URL of the template filled with example values. */
            previewUrl: string;
        };
        Generated: {
            /** @description Complete HTML of the page. */
            html: string;
            /** @enum {string} */
            source: "template" | "model";
            /** @description Response of POST /v1/deploy. Present if the page was published. */
            deploy?: components["schemas"]["DeployResult"];
        };
        LogEntry: {
            /** @description ID of the entry, a string of digits. Greater than the IDs of all earlier entries. */
            id: string;
            at: string;
            /** @enum {string} */
            kind: "access" | "deploy" | "job" | "server" | "system";
            /** @enum {string} */
            level: "info" | "warn" | "error";
            /** @description Description of the entry in one line. */
            message: string;
            method?: string;
            /** @description Decoded path of the request, without the query. */
            path?: string;
            status?: number;
            /** @description Number of requests that this entry represents, if more than one. */
            hits?: number;
            /** @description Bytes of content sent, in total for all hits. */
            bytes?: number;
            /** @description Time until the response was sent, in milliseconds. For several hits, this is the mean. */
            ms?: number;
            /** @description Host of the referrer, if it is a different site. */
            referrer?: string;
            /** @description Kind of client: `person`, `robot`, `prefetch` or `probe`. */
            client?: string;
            /** @description Pseudonym of the visitor, constant for one day (UTC). Present if analytics is enabled. It is never an IP address. */
            visitor?: string;
            /** @description Event type, as in the site’s history or the job’s events. */
            type?: string;
            /** @description User or script that caused the entry. */
            actor?: {
                kind: string;
                id?: string;
                /** @description ID of the access token that a script used, `tok_…`. */
                token?: string;
                /** @description ID of the trusted publisher that the token belongs to, `pub_…`. */
                publisher?: string;
                /** @description Name of the user or script, as in the history. */
                name?: string;
            };
            deployId?: string;
            jobId?: string;
            /** @description URL of the job’s event stream. */
            eventsUrl?: string;
            step?: string;
            commit?: string;
            error?: {
                code: string;
                message: string;
            };
        } & {
            [key: string]: unknown;
        };
        Analytics: {
            from: string;
            /** @description End of the range, exclusive. */
            to: string;
            /** @enum {string} */
            interval: "hour" | "day" | "month";
            totals: components["schemas"]["TrafficTotals"];
            /** @description Totals for the preceding range of the same length, which ends at `from`. */
            previous: components["schemas"]["TrafficTotals"];
            /**
             * @description Method of counting visitors. A visitor is recognized only within one day (UTC), so a visitor who returns on another day is counted again.
             * @enum {string}
             */
            visitorsAre: "exact" | "sum of days";
            series: {
                at: string;
                visits: number;
                visitors: number;
                pageviews: number;
            }[];
            /** @description Pages, each with the number of visits in which it was viewed. */
            pages: {
                path: string;
                visits: number;
                visitors: number;
                pageviews: number;
            }[];
            /** @description Pages on which visits started. */
            entries: {
                path: string;
                visits: number;
            }[];
            referrers: {
                host: string;
                visits: number;
            }[];
            /** @description Paths that visitors requested and that returned 404. */
            notFound: {
                path: string;
                hits: number;
            }[];
            statuses: {
                status: number;
                hits: number;
            }[];
            browsers: {
                name: string;
                visits: number;
                pageviews: number;
            }[];
            systems: {
                name: string;
                visits: number;
                pageviews: number;
            }[];
            devices: {
                name: string;
                visits: number;
                pageviews: number;
            }[];
            /** @description Present if the service can determine countries. */
            countries?: {
                name: string;
                visits: number;
                pageviews: number;
            }[];
            bots: {
                hits: number;
            };
            /** @description Requests that could not be counted because of high load. This number covers whole days, even if the range does not. */
            dropped: number;
        };
        TrafficTotals: {
            /** @description Sequences of pageviews by one visitor with no pause of more than 30 minutes. */
            visits: number;
            visitors: number;
            pageviews: number;
            /** @description Bytes of content sent to all clients. */
            bytes: number;
        };
        AllSitesTraffic: {
            items: {
                siteId: string;
                /** @description Slug of the site, or null while the site’s creation is still being processed. */
                slug: string | null;
                hits: number;
                pageviews: number;
                bytes: number;
                /** @description Hits from bots. */
                bots: number;
                /** @description Hits with a status of 500 or above. */
                errors: number;
            }[];
            page: number;
            limit: number;
            total: number;
            from: string;
            to: string;
        };
        Status: {
            /**
             * @description `failing` if a component is failing. Otherwise, `unknown` if the state of a component is unknown.
             * @enum {string}
             */
            status: "well" | "failing" | "unknown";
            at: string;
            /** @description Time at which the records were last read, or null if they have not been read yet. */
            recordsAt: string | null;
            /** @description False while the records cannot be read. The response then contains the last known state. */
            isCurrent: boolean;
            probes: {
                /** @description Interval between probes, or null if probing is disabled. */
                everySeconds: number | null;
            };
            components: {
                /** @enum {string} */
                name: "publish" | "serve" | "history" | "streams" | "jobs" | "servers" | "mail" | "domains" | "agents";
                title: string;
                description: string;
                /** @enum {string} */
                status: "well" | "failing" | "unknown";
                since?: string;
                checkedAt?: string;
                /** @description Short reason why the component is failing. */
                reason?: string;
                /** @description Percentage of minutes with a result that were successful, or null if there are no results. */
                uptime: number | null;
                /** @description The last 90 days, oldest first. */
                days: {
                    /** @description Day in UTC, as `YYYY-MM-DD`. */
                    day: string;
                    /** @description Minutes in which every probe succeeded. */
                    well: number;
                    /** @description Minutes in which a probe failed. */
                    failing: number;
                    /** @description Minutes in which no probe ran. */
                    unknown: number;
                    /** @description Percentage of minutes with a result that were successful, or null if there are no results. */
                    uptime: number | null;
                }[];
            }[];
            /** @description Open incidents, and incidents from the last 90 days. */
            incidents: components["schemas"]["Incident"][];
            feedUrl: string;
        };
        Incident: {
            id: string;
            title: string;
            components: ("publish" | "serve" | "history" | "streams" | "jobs" | "servers" | "mail" | "domains" | "agents")[];
            /** @enum {string} */
            status: "investigating" | "identified" | "monitoring" | "resolved";
            createdAt: string;
            updatedAt: string;
            /** @description Updates to the incident, newest first. */
            updates: {
                at: string;
                /** @enum {string} */
                status: "investigating" | "identified" | "monitoring" | "resolved";
                /** @description Markdown. */
                body: string;
            }[];
        };
        GrantList: {
            items: components["schemas"]["Grant"][];
        };
        Grant: {
            id: string;
            client: {
                /** @description Client ID that the app received when it registered, or the URL of its metadata document. */
                id: string;
                /** @description Name that the app chose for itself. */
                name: string;
            };
            scopes: ("read" | "publish" | "manage")[];
            /** @description Slugs of the sites that you selected, or null for all of your sites, including future ones. */
            sites: string[] | null;
            createdAt: string;
            lastUsedAt: string;
            /** @description Time at which the grant expires if the app does not use it again. */
            expiresAt: string;
        };
        FileLine: {
            path: string;
            size: number;
            type: string;
            sha256: string;
        };
        HistoryLine: {
            /** @description Who caused the event as an object or, if it is damaged, the stored text as a string. */
            actor: unknown;
            at: string;
            /** @description Data of the event as an object or, if it is damaged, the stored text as a string. */
            data: unknown;
            hash: string;
            id: string;
            previousHash: string | null;
            revision: number;
            schema: number;
            stream: string;
            type: string;
        } | {
            checkpoint: {
                at: string;
                hash: string;
                revision: number;
                stream: string;
            };
            keyId: string;
            publicKey: {
                crv: string;
                kty: string;
                x: string;
            };
            signature: string;
        } | {
            fault: {
                at: string;
                detail: string;
                revision: number;
                stream: string;
            };
        };
        SiteEvent: {
            /** @description ID of the event in its stream, greater than the IDs of all earlier events. */
            id: number;
            event: string;
            data: components["schemas"]["HistoryEntry"];
        } | {
            /** @constant */
            event: "end";
            data: Record<string, never>;
        } | {
            /** @constant */
            event: "reset";
            data: Record<string, never>;
        };
        RunEvent: {
            /** @description ID of the event in its stream, greater than the IDs of all earlier events. */
            id: number;
            /** @constant */
            event: "run.started";
            data: {
                at: string;
                jobId?: string;
                /** @description The event’s data, as recorded. */
                data: {
                    [key: string]: unknown;
                };
            };
        } | {
            /** @description ID of the event in its stream, greater than the IDs of all earlier events. */
            id: number;
            /** @constant */
            event: "run.progress";
            data: {
                at: string;
                jobId?: string;
                /** @description The event’s data, as recorded. */
                data: {
                    [key: string]: unknown;
                };
            };
        } | {
            /** @description ID of the event in its stream, greater than the IDs of all earlier events. */
            id: number;
            /** @constant */
            event: "run.log";
            data: {
                at: string;
                jobId?: string;
                /** @description The event’s data, as recorded. */
                data: {
                    [key: string]: unknown;
                };
            };
        } | {
            /** @description ID of the event in its stream, greater than the IDs of all earlier events. */
            id: number;
            /** @constant */
            event: "run.succeeded";
            data: {
                at: string;
                jobId?: string;
                /** @description The event’s data, as recorded. */
                data: {
                    [key: string]: unknown;
                };
            };
        } | {
            /** @description ID of the event in its stream, greater than the IDs of all earlier events. */
            id: number;
            /** @constant */
            event: "run.failed";
            data: {
                at: string;
                jobId?: string;
                /** @description The event’s data, as recorded. */
                data: {
                    [key: string]: unknown;
                };
            };
        } | {
            /** @constant */
            event: "end";
            data: Record<string, never>;
        } | {
            /** @constant */
            event: "reset";
            data: Record<string, never>;
        };
        JobEvent: {
            /** @description ID of the event in its stream, greater than the IDs of all earlier events. */
            id: number;
            /** @constant */
            event: "job.queued";
            data: {
                at: string;
                /** @enum {string} */
                kind?: "repo_deploy" | "rerun";
                slug?: string;
                /**
                 * @description Why the job was queued again: its worker was stopped (`handed_back`) or stopped responding (`worker_lost`).
                 * @enum {string}
                 */
                again?: "handed_back" | "worker_lost";
            };
        } | {
            /** @description ID of the event in its stream, greater than the IDs of all earlier events. */
            id: number;
            /** @constant */
            event: "job.started";
            data: {
                at: string;
                attempt: number;
            };
        } | {
            /** @description ID of the event in its stream, greater than the IDs of all earlier events. */
            id: number;
            /** @constant */
            event: "job.step";
            data: {
                at: string;
                /** @enum {string} */
                step: "clone" | "detect" | "install" | "build" | "publish" | "start";
                /** @enum {string} */
                status: "running" | "succeeded" | "failed" | "skipped";
                commit?: string;
                plan?: components["schemas"]["BuildPlan"];
            };
        } | {
            /** @description ID of the event in its stream, greater than the IDs of all earlier events. */
            id: number;
            /** @constant */
            event: "job.log";
            data: {
                at: string;
                /** @enum {string} */
                step: "clone" | "detect" | "install" | "build" | "publish" | "start";
                lines: {
                    /** @description Line number within the job, starting at 1. */
                    n: number;
                    /** @enum {string} */
                    stream: "stdout" | "stderr";
                    text: string;
                }[];
            };
        } | {
            /** @description ID of the event in its stream, greater than the IDs of all earlier events. */
            id: number;
            /** @constant */
            event: "job.stop-requested";
            data: {
                at: string;
            };
        } | {
            /** @description ID of the event in its stream, greater than the IDs of all earlier events. */
            id: number;
            /** @constant */
            event: "job.stopped";
            data: {
                at: string;
                /** @description Why the service stopped the job. Absent if a caller stopped it. */
                error?: {
                    code: string;
                    message: string;
                };
            };
        } | {
            /** @description ID of the event in its stream, greater than the IDs of all earlier events. */
            id: number;
            /** @constant */
            event: "job.succeeded";
            data: {
                at: string;
                deployId: string;
                slug: string;
                url: string;
                unchanged?: boolean;
            };
        } | {
            /** @description ID of the event in its stream, greater than the IDs of all earlier events. */
            id: number;
            /** @constant */
            event: "job.failed";
            data: {
                at: string;
                error: {
                    code: string;
                    message: string;
                };
            };
        } | {
            /** @constant */
            event: "end";
            data: Record<string, never>;
        } | {
            /** @constant */
            event: "reset";
            data: Record<string, never>;
        };
        InvocationEvent: {
            /** @constant */
            event: "partial";
            data: {
                id: string;
                attempt: number;
                /** @description Any JSON value. */
                output: unknown;
            };
        } | {
            /** @constant */
            event: "succeeded";
            data: components["schemas"]["InvocationAnswer"];
        } | {
            /** @constant */
            event: "failed";
            data: components["schemas"]["InvocationAnswer"];
        } | {
            /** @constant */
            event: "queued";
            data: components["schemas"]["InvocationAnswer"];
        };
        GenerateEvent: {
            /** @constant */
            event: "delta";
            data: {
                text: string;
            };
        } | {
            /** @constant */
            event: "done";
            data: components["schemas"]["Generated"];
        } | {
            /** @constant */
            event: "error";
            data: components["schemas"]["Problem"];
        };
        LogEvent: {
            /** @description ID of the event in its stream, greater than the IDs of all earlier events. */
            id: number;
            /** @constant */
            event: "access";
            data: components["schemas"]["LogEntry"];
        } | {
            /** @description ID of the event in its stream, greater than the IDs of all earlier events. */
            id: number;
            /** @constant */
            event: "deploy";
            data: components["schemas"]["LogEntry"];
        } | {
            /** @description ID of the event in its stream, greater than the IDs of all earlier events. */
            id: number;
            /** @constant */
            event: "job";
            data: components["schemas"]["LogEntry"];
        } | {
            /** @description ID of the event in its stream, greater than the IDs of all earlier events. */
            id: number;
            /** @constant */
            event: "server";
            data: components["schemas"]["LogEntry"];
        } | {
            /** @description ID of the event in its stream, greater than the IDs of all earlier events. */
            id: number;
            /** @constant */
            event: "system";
            data: components["schemas"]["LogEntry"];
        } | {
            /** @constant */
            event: "skipped";
            data: {
                count: number;
                after: string;
                before: string;
            };
        };
        /** @description Problem document (RFC 9457). `code` is a stable value from a fixed list. `errors` lists the invalid fields. */
        Problem: {
            type: string;
            title: string;
            status: number;
            detail: string;
            instance: string;
            /** @enum {string} */
            code: "invalid_request" | "client_outdated" | "no_files" | "invalid_path" | "blocked_path" | "invalid_slug" | "invalid_expires" | "expires_needs_anonymous" | "invalid_token" | "unauthenticated" | "forbidden" | "edit_token_invalid" | "cross_origin" | "capability_disabled" | "not_found" | "site_not_found" | "deploy_not_found" | "job_not_found" | "method_not_allowed" | "slug_taken" | "already_claimed" | "job_finished" | "nothing_to_rerun" | "domain_taken" | "already_member" | "last_owner" | "lease_lost" | "conflict" | "idempotency_in_progress" | "site_expired" | "revision_mismatch" | "too_large" | "too_many_files" | "unsupported_media_type" | "wrong_host" | "idempotency_key_reused" | "repo_unreachable" | "repo_not_allowed" | "plan_not_detected" | "blob_missing" | "digest_mismatch" | "generation_refused" | "generation_incomplete" | "rate_limited" | "quota_exceeded" | "taken_down" | "unavailable" | "generator_unavailable" | "builder_unavailable" | "no_agent" | "server_failed" | "server_starting" | "server_timeout" | "storage_full" | "internal";
            requestId: string;
            retryable: boolean;
            suggestion?: string;
            errors?: {
                path: string;
                message: string;
            }[];
            /** @description Number of waiting invocations. Present if a connector returns `quota_exceeded`. */
            waiting?: number;
            /** @description Folders that look like sites. Can be present with `plan_not_detected`. Set `rootDirectory` to one of them. */
            candidates?: {
                rootDirectory: string;
                framework: string | null;
                /** @enum {string} */
                kind: "static" | "static_build" | "next" | "container";
                /** @description The build plan that is used if the request specifies this `rootDirectory`. */
                plan: components["schemas"]["BuildPlan"];
            }[];
        };
    };
    responses: {
        /** @description Another error. See `code` for the reason. */
        Problem: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                "www-authenticate": components["headers"]["www-authenticate"];
                "retry-after": components["headers"]["retry-after"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Another error. See `code` for the reason. */
        ProblemPage: {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                "www-authenticate": components["headers"]["www-authenticate"];
                "retry-after": components["headers"]["retry-after"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "text/html": string;
            };
        };
        /** @description `invalid_request`: Invalid request. */
        "400.invalid_request": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `unauthenticated`: Authentication required. */
        "401.unauthenticated": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                "www-authenticate": components["headers"]["www-authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `invalid_request`: Invalid request. `no_files`: No files in the request. `invalid_path`: Invalid file path. `blocked_path`: Blocked file path. `invalid_slug`: Invalid slug. `invalid_expires`: Invalid expiry. `expires_needs_anonymous`: Expiry is for anonymous sites only. */
        "400.invalid_request.no_files.invalid_path.blocked_path.invalid_slug.invalid_expires.expires_needs_anonymous": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `forbidden`: Permission denied. `edit_token_invalid`: Invalid edit token. `cross_origin`: Cross-origin request refused. */
        "403.forbidden.edit_token_invalid.cross_origin": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `site_not_found`: Site not found. */
        "404.site_not_found": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `slug_taken`: Slug already in use. `conflict`: Conflict with the current state. `idempotency_in_progress`: Request still in progress. */
        "409.slug_taken.conflict.idempotency_in_progress": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `site_expired`: Site expired. */
        "410.site_expired": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `revision_mismatch`: The site has changed. */
        "412.revision_mismatch": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `too_large`: Content too large. `too_many_files`: Too many files. */
        "413.too_large.too_many_files": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `unsupported_media_type`: Unsupported media type. */
        "415.unsupported_media_type": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `idempotency_key_reused`: Idempotency key already used. `blob_missing`: Missing content. */
        "422.idempotency_key_reused.blob_missing": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `rate_limited`: Too many requests. `quota_exceeded`: Quota exceeded. */
        "429.rate_limited.quota_exceeded": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                "retry-after": components["headers"]["retry-after"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `taken_down`: Site taken down. */
        "451.taken_down": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `invalid_request`: Invalid request. `no_files`: No files in the request. `invalid_path`: Invalid file path. `blocked_path`: Blocked file path. `invalid_slug`: Invalid slug. */
        "400.invalid_request.no_files.invalid_path.blocked_path.invalid_slug": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `conflict`: Conflict with the current state. `idempotency_in_progress`: Request still in progress. */
        "409.conflict.idempotency_in_progress": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `invalid_request`: Invalid request. `invalid_slug`: Invalid slug. `invalid_expires`: Invalid expiry. `expires_needs_anonymous`: Expiry is for anonymous sites only. */
        "400.invalid_request.invalid_slug.invalid_expires.expires_needs_anonymous": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `slug_taken`: Slug already in use. `conflict`: Conflict with the current state. */
        "409.slug_taken.conflict": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `rate_limited`: Too many requests. */
        "429.rate_limited": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                "retry-after": components["headers"]["retry-after"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `invalid_request`: Invalid request. `no_files`: No files in the request. `invalid_path`: Invalid file path. `blocked_path`: Blocked file path. `invalid_slug`: Invalid slug. `invalid_token`: Invalid or expired token. */
        "400.invalid_request.no_files.invalid_path.blocked_path.invalid_slug.invalid_token": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `not_found`: Not found. `site_not_found`: Site not found. `deploy_not_found`: Deploy not found. */
        "404.not_found.site_not_found.deploy_not_found": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `too_large`: Content too large. */
        "413.too_large": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `idempotency_key_reused`: Idempotency key already used. */
        "422.idempotency_key_reused": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `invalid_request`: Invalid request. `invalid_token`: Invalid or expired token. */
        "400.invalid_request.invalid_token.page": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "text/html": string;
            };
        };
        /** @description `unauthenticated`: Authentication required. */
        "401.unauthenticated.page": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                "www-authenticate": components["headers"]["www-authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "text/html": string;
            };
        };
        /** @description `edit_token_invalid`: Invalid edit token. `cross_origin`: Cross-origin request refused. */
        "403.edit_token_invalid.cross_origin.page": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "text/html": string;
            };
        };
        /** @description `site_not_found`: Site not found. */
        "404.site_not_found.page": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "text/html": string;
            };
        };
        /** @description `already_claimed`: Site already has an owner. `conflict`: Conflict with the current state. */
        "409.already_claimed.conflict.page": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "text/html": string;
            };
        };
        /** @description `site_expired`: Site expired. */
        "410.site_expired.page": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "text/html": string;
            };
        };
        /** @description `too_large`: Content too large. */
        "413.too_large.page": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "text/html": string;
            };
        };
        /** @description `unsupported_media_type`: Unsupported media type. */
        "415.unsupported_media_type.page": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "text/html": string;
            };
        };
        /** @description `rate_limited`: Too many requests. */
        "429.rate_limited.page": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                "retry-after": components["headers"]["retry-after"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "text/html": string;
            };
        };
        /** @description `taken_down`: Site taken down. */
        "451.taken_down.page": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "text/html": string;
            };
        };
        /** @description `cross_origin`: Cross-origin request refused. */
        "403.cross_origin.page": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "text/html": string;
            };
        };
        /** @description `forbidden`: Permission denied. `edit_token_invalid`: Invalid edit token. `cross_origin`: Cross-origin request refused. */
        "403.forbidden.edit_token_invalid.cross_origin.page": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "text/html": string;
            };
        };
        /** @description `forbidden`: Permission denied. `edit_token_invalid`: Invalid edit token. */
        "403.forbidden.edit_token_invalid": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `not_found`: Not found. `site_not_found`: Site not found. */
        "404.not_found.site_not_found": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `conflict`: Conflict with the current state. */
        "409.conflict": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `cross_origin`: Cross-origin request refused. */
        "403.cross_origin": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `not_found`: Not found. */
        "404.not_found": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `digest_mismatch`: Content does not match its digest. */
        "422.digest_mismatch": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `forbidden`: Permission denied. `cross_origin`: Cross-origin request refused. */
        "403.forbidden.cross_origin": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `already_member`: Already a member of the site. `conflict`: Conflict with the current state. */
        "409.already_member.conflict": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `conflict`: Conflict with the current state. */
        "409.conflict.page": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "text/html": string;
            };
        };
        /** @description `last_owner`: A site needs at least one owner. `conflict`: Conflict with the current state. */
        "409.last_owner.conflict": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `quota_exceeded`: Quota exceeded. */
        "429.quota_exceeded": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                "retry-after": components["headers"]["retry-after"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `invalid_request`: Invalid request. `invalid_slug`: Invalid slug. */
        "400.invalid_request.invalid_slug": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `invalid_request`: Invalid request. `invalid_token`: Invalid or expired token. */
        "400.invalid_request.invalid_token": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `forbidden`: Permission denied. */
        "403.forbidden": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `invalid_request`: Invalid request. */
        "400.invalid_request.page": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "text/html": string;
            };
        };
        /** @description `not_found`: Not found. */
        "404.not_found.page": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "text/html": string;
            };
        };
        /** @description `forbidden`: Permission denied. */
        "403.forbidden.page": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "text/html": string;
            };
        };
        /** @description `forbidden`: Permission denied. `cross_origin`: Cross-origin request refused. */
        "403.forbidden.cross_origin.page": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "text/html": string;
            };
        };
        /** @description `job_finished`: Already finished. `conflict`: Conflict with the current state. */
        "409.job_finished.conflict": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `unavailable`: Service unavailable. */
        "503.unavailable": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                "retry-after": components["headers"]["retry-after"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `repo_unreachable`: Cannot read the repository. `repo_not_allowed`: Repository URL not allowed. `plan_not_detected`: No build plan detected. */
        "422.repo_unreachable.repo_not_allowed.plan_not_detected": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `builder_unavailable`: Builder unavailable. */
        "503.builder_unavailable": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                "retry-after": components["headers"]["retry-after"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `idempotency_key_reused`: Idempotency key already used. `repo_unreachable`: Cannot read the repository. `repo_not_allowed`: Repository URL not allowed. `plan_not_detected`: No build plan detected. */
        "422.idempotency_key_reused.repo_unreachable.repo_not_allowed.plan_not_detected": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `repo_unreachable`: Cannot read the repository. `repo_not_allowed`: Repository URL not allowed. */
        "422.repo_unreachable.repo_not_allowed": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `not_found`: Not found. `site_not_found`: Site not found. */
        "404.not_found.site_not_found.page": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "text/html": string;
            };
        };
        /** @description `nothing_to_rerun`: No repository deploy to run again. `conflict`: Conflict with the current state. `idempotency_in_progress`: Request still in progress. */
        "409.nothing_to_rerun.conflict.idempotency_in_progress.page": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "text/html": string;
            };
        };
        /** @description `idempotency_key_reused`: Idempotency key already used. */
        "422.idempotency_key_reused.page": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "text/html": string;
            };
        };
        /** @description `builder_unavailable`: Builder unavailable. */
        "503.builder_unavailable.page": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                "retry-after": components["headers"]["retry-after"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "text/html": string;
            };
        };
        /** @description `not_found`: Not found. `job_not_found`: Job not found. */
        "404.not_found.job_not_found": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `not_found`: Not found. `job_not_found`: Job not found. */
        "404.not_found.job_not_found.page": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "text/html": string;
            };
        };
        /** @description `job_finished`: Already finished. `conflict`: Conflict with the current state. */
        "409.job_finished.conflict.page": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
                "text/html": string;
            };
        };
        /** @description `domain_taken`: Domain already in use. `conflict`: Conflict with the current state. */
        "409.domain_taken.conflict": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `forbidden`: Permission denied. `edit_token_invalid`: Invalid edit token. `cross_origin`: Cross-origin request refused. `capability_disabled`: Capability disabled. */
        "403.forbidden.edit_token_invalid.cross_origin.capability_disabled": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `no_agent`: No agent connected. */
        "503.no_agent": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                "retry-after": components["headers"]["retry-after"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `lease_lost`: Lease lost. `conflict`: Conflict with the current state. */
        "409.lease_lost.conflict": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `deploy_not_found`: Deploy not found. */
        "404.deploy_not_found": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `generation_refused`: The model declined the prompt. `generation_incomplete`: The model returned no usable page. */
        "422.generation_refused.generation_incomplete": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `generator_unavailable`: Page generation unavailable. */
        "503.generator_unavailable": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                "retry-after": components["headers"]["retry-after"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `forbidden`: Permission denied. `edit_token_invalid`: Invalid edit token. `capability_disabled`: Capability disabled. */
        "403.forbidden.edit_token_invalid.capability_disabled": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `not_found`: Not found. `deploy_not_found`: Deploy not found. */
        "404.not_found.deploy_not_found": {
            headers: {
                "x-request-id": components["headers"]["x-request-id"];
                ratelimit: components["headers"]["ratelimit"];
                "ratelimit-policy": components["headers"]["ratelimit-policy"];
                "stele-position": components["headers"]["stele-position"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description ID of the request, as it appears in the service log. */
        "x-request-id": string;
        /** @description ETag of the response. For a site, this is its revision, which you can send as `If-Match`. */
        etag: string;
        /** @description Revision of the site after this request. */
        "stele-revision": string;
        /** @description Position of this response in the event log. Send it with later reads so that they do not return an older state. */
        "stele-position": string;
        /** @description Present if this is the stored response to an earlier request with the same idempotency key. */
        "idempotency-replayed": string;
        /** @description Seconds to wait before the next request. */
        "retry-after": number;
        /** @description Number of requests remaining, and seconds until the full limit is available again. */
        ratelimit: string;
        /** @description The limit and its window in seconds. */
        "ratelimit-policy": string;
        /** @description Authentication scheme that the request requires. */
        "www-authenticate": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    live: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The connection continues as a WebSocket. */
            101: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            default: components["responses"]["Problem"];
        };
    };
    deploy: {
        parameters: {
            query?: {
                /** @description Slug of the site: lowercase letters and digits, with hyphens between them. */
                slug?: string;
                /** @description Time after which a new anonymous site expires: digits followed by s, m, h or d, from 1s to 30d. Digits alone are seconds. */
                expires?: string;
                /** @description `replace` replaces all of the site’s files. `merge` adds the files to those of the live deploy, replacing files with the same path; a JSON entry with `"delete": true` removes a file. */
                mode?: "replace" | "merge";
                /** @description `false` stores a redeploy without making it live. You can make it live later with a rollback. */
                publish?: "true" | "false";
                /** @description Message to record in the history. */
                message?: string;
            };
            header?: {
                /** @description Upload token, for callers without other credentials: `uploadToken` from a preflight response. */
                "x-svc-upload-token"?: string;
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
                /** @description The last known `etag` of the site. The request fails with 412 if, since then, someone has deployed, rolled back, claimed or taken down the site, or changed who can see it. */
                "if-match"?: string;
                /** @description Key of 8 to 255 characters. Repeating the request with the same key returns the first response. If an anonymous request creates a site, the key must be a UUID, or at least 22 random base64url or hexadecimal characters. */
                "idempotency-key"?: string;
                /** @description Name and version of the program that sends the deploy, such as `stele-cli/0.1.0; agent=claude-code`. Up to 60 visible ASCII characters are stored and shown in the list of deploys and in the history. */
                "stele-client"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    files: ({
                        /** @description Path of the file within the site, such as assets/app.js. */
                        path: string;
                        content: string;
                        /**
                         * @default utf-8
                         * @enum {string}
                         */
                        encoding?: "utf-8" | "base64";
                    } | {
                        /** @description Path of the file within the site, such as assets/app.js. */
                        path: string;
                        sha256: string;
                    } | {
                        /** @description Path of the file within the site, such as assets/app.js. */
                        path: string;
                        /** @constant */
                        delete: true;
                    })[];
                };
                /** @example <h1>Hello</h1> */
                "text/html": string;
                "multipart/form-data": {
                    /** @description One part per file. The part’s filename is the file’s path in the site, such as assets/app.js. */
                    files: string[];
                };
                "application/zip": string;
                "application/gzip": string;
            };
        };
        responses: {
            /** @description The deploy. If it was published, the next request to the site is served from it. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    etag: components["headers"]["etag"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeployResult"];
                };
            };
            400: components["responses"]["400.invalid_request.no_files.invalid_path.blocked_path.invalid_slug.invalid_expires.expires_needs_anonymous"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid.cross_origin"];
            404: components["responses"]["404.site_not_found"];
            409: components["responses"]["409.slug_taken.conflict.idempotency_in_progress"];
            410: components["responses"]["410.site_expired"];
            412: components["responses"]["412.revision_mismatch"];
            413: components["responses"]["413.too_large.too_many_files"];
            415: components["responses"]["415.unsupported_media_type"];
            422: components["responses"]["422.idempotency_key_reused.blob_missing"];
            429: components["responses"]["429.rate_limited.quota_exceeded"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    redeploy: {
        parameters: {
            query: {
                /** @description Slug of the site: lowercase letters and digits, with hyphens between them. */
                slug: string;
                /** @description `replace` replaces all of the site’s files. `merge` adds the files to those of the live deploy, replacing files with the same path; a JSON entry with `"delete": true` removes a file. */
                mode?: "replace" | "merge";
                /** @description `false` stores a redeploy without making it live. You can make it live later with a rollback. */
                publish?: "true" | "false";
                /** @description Message to record in the history. */
                message?: string;
            };
            header?: {
                /** @description Upload token, for callers without other credentials: `uploadToken` from a preflight response. */
                "x-svc-upload-token"?: string;
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
                /** @description The last known `etag` of the site. The request fails with 412 if, since then, someone has deployed, rolled back, claimed or taken down the site, or changed who can see it. */
                "if-match"?: string;
                /** @description Key of 8 to 255 characters. Repeating the request with the same key returns the first response. If an anonymous request creates a site, the key must be a UUID, or at least 22 random base64url or hexadecimal characters. */
                "idempotency-key"?: string;
                /** @description Name and version of the program that sends the deploy, such as `stele-cli/0.1.0; agent=claude-code`. Up to 60 visible ASCII characters are stored and shown in the list of deploys and in the history. */
                "stele-client"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    files: ({
                        /** @description Path of the file within the site, such as assets/app.js. */
                        path: string;
                        content: string;
                        /**
                         * @default utf-8
                         * @enum {string}
                         */
                        encoding?: "utf-8" | "base64";
                    } | {
                        /** @description Path of the file within the site, such as assets/app.js. */
                        path: string;
                        sha256: string;
                    } | {
                        /** @description Path of the file within the site, such as assets/app.js. */
                        path: string;
                        /** @constant */
                        delete: true;
                    })[];
                };
                /** @example <h1>Hello</h1> */
                "text/html": string;
                "multipart/form-data": {
                    /** @description One part per file. The part’s filename is the file’s path in the site, such as assets/app.js. */
                    files: string[];
                };
                "application/zip": string;
                "application/gzip": string;
            };
        };
        responses: {
            /** @description The deploy. If it was published, the next request to the site is served from it. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    etag: components["headers"]["etag"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeployResult"];
                };
            };
            400: components["responses"]["400.invalid_request.no_files.invalid_path.blocked_path.invalid_slug"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid.cross_origin"];
            404: components["responses"]["404.site_not_found"];
            409: components["responses"]["409.conflict.idempotency_in_progress"];
            410: components["responses"]["410.site_expired"];
            412: components["responses"]["412.revision_mismatch"];
            413: components["responses"]["413.too_large.too_many_files"];
            415: components["responses"]["415.unsupported_media_type"];
            422: components["responses"]["422.idempotency_key_reused.blob_missing"];
            429: components["responses"]["429.rate_limited.quota_exceeded"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    sendUpload: {
        parameters: {
            query: {
                /** @description Ticket from `uploadUrl`. */
                ticket: string;
            };
            header?: {
                /** @description Name and version of the program that sends the deploy, such as `stele-cli/0.1.0; agent=claude-code`. Up to 60 visible ASCII characters are stored and shown in the list of deploys and in the history. */
                "stele-client"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    files: ({
                        /** @description Path of the file within the site, such as assets/app.js. */
                        path: string;
                        content: string;
                        /**
                         * @default utf-8
                         * @enum {string}
                         */
                        encoding?: "utf-8" | "base64";
                    } | {
                        /** @description Path of the file within the site, such as assets/app.js. */
                        path: string;
                        sha256: string;
                    } | {
                        /** @description Path of the file within the site, such as assets/app.js. */
                        path: string;
                        /** @constant */
                        delete: true;
                    })[];
                };
                /** @example <h1>Hello</h1> */
                "text/html": string;
                "multipart/form-data": {
                    /** @description One part per file. The part’s filename is the file’s path in the site, such as assets/app.js. */
                    files: string[];
                };
                "application/zip": string;
                "application/gzip": string;
            };
        };
        responses: {
            /** @description The deploy. If it was published, the next request to the site is served from it. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    etag: components["headers"]["etag"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeployResult"];
                };
            };
            400: components["responses"]["400.invalid_request.no_files.invalid_path.blocked_path.invalid_slug.invalid_token"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid.cross_origin"];
            404: components["responses"]["404.site_not_found"];
            409: components["responses"]["409.slug_taken.conflict.idempotency_in_progress"];
            410: components["responses"]["410.site_expired"];
            412: components["responses"]["412.revision_mismatch"];
            413: components["responses"]["413.too_large.too_many_files"];
            415: components["responses"]["415.unsupported_media_type"];
            422: components["responses"]["422.idempotency_key_reused.blob_missing"];
            429: components["responses"]["429.rate_limited.quota_exceeded"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    prepareUpload: {
        parameters: {
            query?: {
                /** @description Slug of the site: lowercase letters and digits, with hyphens between them. */
                slug?: string;
                /** @description Time after which a new anonymous site expires: digits followed by s, m, h or d, from 1s to 30d. Digits alone are seconds. */
                expires?: string;
                /** @description `replace` replaces all of the site’s files. `merge` adds the files to those of the live deploy, replacing files with the same path; a JSON entry with `"delete": true` removes a file. */
                mode?: "replace" | "merge";
                /** @description `false` stores a redeploy without making it live. You can make it live later with a rollback. */
                publish?: "true" | "false";
                /** @description Message to record in the history. */
                message?: string;
            };
            header?: {
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
                /** @description The last known `etag` of the site. The request fails with 412 if, since then, someone has deployed, rolled back, claimed or taken down the site, or changed who can see it. */
                "if-match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The upload URL, the time at which it expires, and a command that uses it. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreparedUpload"];
                };
            };
            400: components["responses"]["400.invalid_request.invalid_slug.invalid_expires.expires_needs_anonymous"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid.cross_origin"];
            404: components["responses"]["404.site_not_found"];
            409: components["responses"]["409.slug_taken.conflict"];
            410: components["responses"]["410.site_expired"];
            412: components["responses"]["412.revision_mismatch"];
            415: components["responses"]["415.unsupported_media_type"];
            429: components["responses"]["429.rate_limited"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    rollback: {
        parameters: {
            query?: never;
            header?: {
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
                /** @description The last known `etag` of the site. The request fails with 412 if, since then, someone has deployed, rolled back, claimed or taken down the site, or changed who can see it. */
                "if-match"?: string;
                /** @description Key of 8 to 255 characters. Repeating the request with the same key returns the first response. If an anonymous request creates a site, the key must be a UUID, or at least 22 random base64url or hexadecimal characters. */
                "idempotency-key"?: string;
            };
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description ID or number of one of the site’s deploys, or `previous` for the deploy that was published before the live deploy. */
                    deployId?: string;
                    /** @description Deploy number, as in the list of deploys. Can be sent instead of `deployId`. */
                    number?: number;
                };
            };
        };
        responses: {
            /** @description The deploy is live, starting with the next request to the site. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RolledBack"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid.cross_origin"];
            404: components["responses"]["404.not_found.site_not_found.deploy_not_found"];
            409: components["responses"]["409.conflict.idempotency_in_progress"];
            410: components["responses"]["410.site_expired"];
            412: components["responses"]["412.revision_mismatch"];
            413: components["responses"]["413.too_large"];
            415: components["responses"]["415.unsupported_media_type"];
            422: components["responses"]["422.idempotency_key_reused"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    startClaim: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    slug: string;
                    /** Format: email */
                    email: string;
                    editToken: string;
                };
            };
        };
        responses: {
            /** @description The link has been sent. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClaimStarted"];
                };
            };
            400: components["responses"]["400.invalid_request.invalid_token.page"];
            401: components["responses"]["401.unauthenticated.page"];
            403: components["responses"]["403.edit_token_invalid.cross_origin.page"];
            404: components["responses"]["404.site_not_found.page"];
            409: components["responses"]["409.already_claimed.conflict.page"];
            410: components["responses"]["410.site_expired.page"];
            413: components["responses"]["413.too_large.page"];
            415: components["responses"]["415.unsupported_media_type.page"];
            429: components["responses"]["429.rate_limited.page"];
            default: components["responses"]["ProblemPage"];
        };
    };
    verifyClaim: {
        parameters: {
            query: {
                /** @description Token from the link in the email. */
                token: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The site has been claimed. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClaimedByMail"];
                };
            };
            400: components["responses"]["400.invalid_request.invalid_token.page"];
            401: components["responses"]["401.unauthenticated.page"];
            404: components["responses"]["404.site_not_found.page"];
            409: components["responses"]["409.already_claimed.conflict.page"];
            410: components["responses"]["410.site_expired.page"];
            429: components["responses"]["429.rate_limited.page"];
            451: components["responses"]["451.taken_down.page"];
            default: components["responses"]["ProblemPage"];
        };
    };
    verifyClaimByButton: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Token from the link in the email. */
                    token: string;
                };
            };
        };
        responses: {
            /** @description The site has been claimed. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClaimedByMail"];
                };
            };
            400: components["responses"]["400.invalid_request.invalid_token.page"];
            401: components["responses"]["401.unauthenticated.page"];
            403: components["responses"]["403.cross_origin.page"];
            404: components["responses"]["404.site_not_found.page"];
            409: components["responses"]["409.already_claimed.conflict.page"];
            410: components["responses"]["410.site_expired.page"];
            413: components["responses"]["413.too_large.page"];
            415: components["responses"]["415.unsupported_media_type.page"];
            429: components["responses"]["429.rate_limited.page"];
            451: components["responses"]["451.taken_down.page"];
            default: components["responses"]["ProblemPage"];
        };
    };
    claimBySession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    slug: string;
                    editToken: string;
                };
            };
        };
        responses: {
            /** @description The site has been claimed. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Claimed"];
                };
            };
            400: components["responses"]["400.invalid_request.invalid_token.page"];
            401: components["responses"]["401.unauthenticated.page"];
            403: components["responses"]["403.forbidden.edit_token_invalid.cross_origin.page"];
            404: components["responses"]["404.site_not_found.page"];
            409: components["responses"]["409.already_claimed.conflict.page"];
            410: components["responses"]["410.site_expired.page"];
            413: components["responses"]["413.too_large.page"];
            415: components["responses"]["415.unsupported_media_type.page"];
            429: components["responses"]["429.rate_limited.page"];
            default: components["responses"]["ProblemPage"];
        };
    };
    getSite: {
        parameters: {
            query?: never;
            header?: {
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
                /** @description The `stele-position` of an earlier response. The result of the read is at least as recent as that response. */
                "stele-position"?: string;
            };
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The site. Its ETag is the revision. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    etag: components["headers"]["etag"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Site"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid"];
            404: components["responses"]["404.not_found.site_not_found"];
            410: components["responses"]["410.site_expired"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    deleteSite: {
        parameters: {
            query?: never;
            header?: {
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
                /** @description The last known `etag` of the site. The request fails with 412 if, since then, anything about the site has changed. */
                "if-match"?: string;
            };
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The site has been permanently deleted. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid.cross_origin"];
            404: components["responses"]["404.not_found.site_not_found"];
            409: components["responses"]["409.conflict"];
            410: components["responses"]["410.site_expired"];
            412: components["responses"]["412.revision_mismatch"];
            415: components["responses"]["415.unsupported_media_type"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    describeSite: {
        parameters: {
            query?: never;
            header?: {
                /** @description The last known `etag` of the site. The request fails with 412 if, since then, someone has renamed, claimed or taken down the site, or changed its title, its description or who can see it. */
                "if-match"?: string;
            };
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Title of the site, a single line of up to 120 characters. An empty string removes it. */
                    title?: string;
                    /** @description Description of the site, a single paragraph of up to 500 characters. An empty string removes it. */
                    description?: string;
                    /**
                     * @description `noindex` asks search engines not to index the site, with an `x-robots-tag` header on all of its responses.
                     * @enum {string}
                     */
                    robots?: "index" | "noindex";
                };
            };
        };
        responses: {
            /** @description The updated site. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    etag: components["headers"]["etag"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Site"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid.cross_origin"];
            404: components["responses"]["404.not_found.site_not_found"];
            409: components["responses"]["409.conflict"];
            410: components["responses"]["410.site_expired"];
            412: components["responses"]["412.revision_mismatch"];
            413: components["responses"]["413.too_large"];
            415: components["responses"]["415.unsupported_media_type"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    setAccess: {
        parameters: {
            query?: never;
            header?: {
                /** @description The last known `etag` of the site. The request fails with 412 if, since then, someone has renamed, claimed or taken down the site, or changed its title, its description or who can see it. */
                "if-match"?: string;
            };
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Who can view the site: `public` for everyone, `password` for anyone who knows its password, `members` for users with a role on it.
                     * @enum {string}
                     */
                    visibility: "public" | "password" | "members";
                    /** @description Password that visitors must enter: at least 8 characters, and at most 1,024 bytes of UTF-8. Only its Argon2id hash is stored. Sending a password replaces the previous one, and visitors who have entered the previous one must enter the new one. */
                    password?: string;
                };
            };
        };
        responses: {
            /** @description The site. Its ETag is the revision. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    etag: components["headers"]["etag"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Site"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid.cross_origin"];
            404: components["responses"]["404.not_found.site_not_found"];
            409: components["responses"]["409.conflict"];
            410: components["responses"]["410.site_expired"];
            412: components["responses"]["412.revision_mismatch"];
            413: components["responses"]["413.too_large"];
            415: components["responses"]["415.unsupported_media_type"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    listDeploys: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
                /** @description Returns only the deploy that was live at this time, if any, with the `liveFrom` and `liveUntil` of that period. */
                at?: string;
            };
            header?: {
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
                /** @description The `stele-position` of an earlier response. The result of the read is at least as recent as that response. */
                "stele-position"?: string;
            };
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of deploys. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["Deploy"][];
                        page: number;
                        limit: number;
                        total: number;
                    };
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid"];
            404: components["responses"]["404.not_found.site_not_found.deploy_not_found"];
            410: components["responses"]["410.site_expired"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    diffDeploys: {
        parameters: {
            query: {
                /** @description ID or number of the base deploy. */
                from: string;
                /** @description ID or number of the deploy to compare with the base deploy. */
                to: string;
                /** @description Path of a single file. If set, the response is a unified diff of that file, as printed by `diff -u`. */
                path?: string;
            };
            header?: {
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
                /** @description The `stele-position` of an earlier response. The result of the read is at least as recent as that response. */
                "stele-position"?: string;
            };
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The files that were added, changed and removed, sorted by path in byte order. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeployDifference"];
                    "text/x-diff": string;
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid"];
            404: components["responses"]["404.not_found.site_not_found.deploy_not_found"];
            410: components["responses"]["410.site_expired"];
            413: components["responses"]["413.too_large"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    listFiles: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
                /** @description ID or number of a deploy. Defaults to the live deploy. */
                deployId?: string;
            };
            header?: {
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
                /** @description The `stele-position` of an earlier response. The result of the read is at least as recent as that response. */
                "stele-position"?: string;
            };
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of files, sorted by path in byte order. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Files"];
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid"];
            404: components["responses"]["404.not_found.site_not_found.deploy_not_found"];
            410: components["responses"]["410.site_expired"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    readFile: {
        parameters: {
            query?: {
                /** @description ID or number of a deploy. Defaults to the live deploy. */
                deployId?: string;
            };
            header?: {
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
                /** @description The `stele-position` of an earlier response. The result of the read is at least as recent as that response. */
                "stele-position"?: string;
            };
            path: {
                slug: string;
                /** @description Path of the file as shown in the list of files, including slashes. */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content of the file. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid"];
            404: components["responses"]["404.not_found.site_not_found.deploy_not_found"];
            410: components["responses"]["410.site_expired"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    manifest: {
        parameters: {
            query?: never;
            header?: {
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
                /** @description The `stele-position` of an earlier response. The result of the read is at least as recent as that response. */
                "stele-position"?: string;
            };
            path: {
                slug: string;
                deployId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The manifest, with one line per file. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid"];
            404: components["responses"]["404.not_found.site_not_found.deploy_not_found"];
            410: components["responses"]["410.site_expired"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    provenance: {
        parameters: {
            query?: never;
            header?: {
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
                /** @description The `stele-position` of an earlier response. The result of the read is at least as recent as that response. */
                "stele-position"?: string;
            };
            path: {
                slug: string;
                deployId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The signed statement, with the same bytes every time. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.dsse.envelope.v1+json": {
                        /** @enum {string} */
                        payloadType: "application/vnd.in-toto+json";
                        /**
                         * Format: byte
                         * @description In-toto statement with SLSA provenance, base64-encoded.
                         */
                        payload: string;
                        signatures: {
                            /** @description `kid` of a key in `/.well-known/stele-audit-key`. */
                            keyid: string;
                            /** Format: byte */
                            sig: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid"];
            404: components["responses"]["404.not_found.site_not_found.deploy_not_found"];
            410: components["responses"]["410.site_expired"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    download: {
        parameters: {
            query?: {
                /** @description ID or number of a deploy. Defaults to the live deploy. */
                deployId?: string;
            };
            header?: {
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
                /** @description The `stele-position` of an earlier response. The result of the read is at least as recent as that response. */
                "stele-position"?: string;
            };
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Zip archive named `{slug}-{number}.zip`. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/zip": string;
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid"];
            404: components["responses"]["404.not_found.site_not_found.deploy_not_found"];
            410: components["responses"]["410.site_expired"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    preflight: {
        parameters: {
            query?: never;
            header?: {
                /** @description Upload token, for callers without other credentials: `uploadToken` from a preflight response. */
                "x-svc-upload-token"?: string;
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    cliVersion?: string;
                    /** @description Slug of the site to redeploy, or of a new site. */
                    slug?: string;
                    files: {
                        path: string;
                        /** @description Size in bytes. */
                        size: number;
                        sha256: string;
                    }[];
                };
            };
        };
        responses: {
            /** @description The result of the check. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preflight"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.cross_origin"];
            409: components["responses"]["409.conflict"];
            413: components["responses"]["413.too_large"];
            415: components["responses"]["415.unsupported_media_type"];
            429: components["responses"]["429.rate_limited"];
            default: components["responses"]["Problem"];
        };
    };
    history: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
                /** @description Returns only events of these types, separated by commas: SiteCreated, SiteDeployed, SiteStaged, SiteJobQueued, SiteRolledBack, SiteExpirySet, SiteExpired, SiteTakenDown, SiteRestored, SiteForgotten, SiteClaimed, MemberInvited, InviteRevoked, MemberAdded, MemberRoleChanged, MemberRemoved, SiteAccessSet, SiteDescribed, SiteRenamed, SiteSlugReleased, SiteDeleted, CapabilitySet, SecretSet, SecretDeleted, ConnectorTokenIssued, ConnectorTokenRevoked, SiteDomainAdded, SiteDomainChanged, SiteDomainActivated, SiteDomainMissed, SiteDomainFound, SiteDomainLost, SiteDomainFailed, SiteDomainRemoved, AccessTokenIssued, AccessTokenRevoked, PublisherTrusted, PublisherRemoved, PublisherUsed, SiteServerCrashed, SiteRepositoryLinked, SiteRepositoryUnlinked. */
                type?: string;
                /** @description Returns only events with this actor: a kind of actor (`anonymous`, `user`, `system`), or the ID of an actor. */
                actor?: string;
                /** @description Returns only events at or after this time (RFC 3339). */
                since?: string;
                /** @description Returns only events before this time (RFC 3339). */
                until?: string;
            };
            header?: {
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
                /** @description The `stele-position` of an earlier response. The result of the read is at least as recent as that response. */
                "stele-position"?: string;
            };
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of the history, or the export. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["HistoryEntry"][];
                        page: number;
                        limit: number;
                        total: number;
                    };
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid"];
            404: components["responses"]["404.not_found.site_not_found"];
            410: components["responses"]["410.site_expired"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    uploadFile: {
        parameters: {
            query?: never;
            header?: {
                /** @description Size of the whole content in bytes. Required for a first part, and for a body without `content-length`. */
                "upload-length"?: string;
                /** @description `?0` if the rest of the content follows in PATCH requests. Defaults to `?1`. */
                "upload-complete"?: "?0" | "?1";
                /** @description Upload token, for callers without other credentials: `uploadToken` from a preflight response. */
                "x-svc-upload-token"?: string;
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
                /** @description The `stele-position` of an earlier response. The result of the read is at least as recent as that response. */
                "stele-position"?: string;
            };
            path: {
                sha256: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description The content had already been uploaded. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
            /** @description The upload is complete. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
            /** @description The part has been stored. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    /** @description Number of bytes received and stored, which is the offset to resume from. */
                    "upload-offset"?: string;
                    /** @description `?1` if the content is complete, otherwise `?0`. */
                    "upload-complete"?: string;
                    /** @description Size of the whole content in bytes. */
                    "upload-length"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.cross_origin"];
            404: components["responses"]["404.not_found"];
            409: components["responses"]["409.conflict"];
            413: components["responses"]["413.too_large"];
            415: components["responses"]["415.unsupported_media_type"];
            422: components["responses"]["422.digest_mismatch"];
            429: components["responses"]["429.rate_limited.quota_exceeded"];
            default: components["responses"]["Problem"];
        };
    };
    cancelUpload: {
        parameters: {
            query?: never;
            header?: {
                /** @description Upload token, for callers without other credentials: `uploadToken` from a preflight response. */
                "x-svc-upload-token"?: string;
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
                /** @description The `stele-position` of an earlier response. The result of the read is at least as recent as that response. */
                "stele-position"?: string;
            };
            path: {
                sha256: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The upload was removed or did not exist. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.cross_origin"];
            404: components["responses"]["404.not_found"];
            409: components["responses"]["409.conflict"];
            415: components["responses"]["415.unsupported_media_type"];
            default: components["responses"]["Problem"];
        };
    };
    uploadProgress: {
        parameters: {
            query?: never;
            header?: {
                /** @description Upload token, for callers without other credentials: `uploadToken` from a preflight response. */
                "x-svc-upload-token"?: string;
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
                /** @description The `stele-position` of an earlier response. The result of the read is at least as recent as that response. */
                "stele-position"?: string;
            };
            path: {
                sha256: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The progress. Resume from `upload-offset`. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    /** @description Number of bytes received and stored, which is the offset to resume from. */
                    "upload-offset"?: string;
                    /** @description `?1` if the content is complete, otherwise `?0`. */
                    "upload-complete"?: string;
                    /** @description Size of the whole content in bytes. */
                    "upload-length"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.cross_origin"];
            404: components["responses"]["404.not_found"];
            409: components["responses"]["409.conflict"];
            415: components["responses"]["415.unsupported_media_type"];
            default: components["responses"]["Problem"];
        };
    };
    resumeUpload: {
        parameters: {
            query?: never;
            header: {
                /** @description `?1` if this body completes the content, `?0` if more parts follow. */
                "upload-complete": "?0" | "?1";
                /** @description Number of bytes received so far. */
                "upload-offset": string;
                /** @description Upload token, for callers without other credentials: `uploadToken` from a preflight response. */
                "x-svc-upload-token"?: string;
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
                /** @description The `stele-position` of an earlier response. The result of the read is at least as recent as that response. */
                "stele-position"?: string;
            };
            path: {
                sha256: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/partial-upload": string;
            };
        };
        responses: {
            /** @description The upload was already complete. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
            /** @description The upload is complete. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Upload"];
                };
            };
            /** @description The part has been stored. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    /** @description Number of bytes received and stored, which is the offset to resume from. */
                    "upload-offset"?: string;
                    /** @description `?1` if the content is complete, otherwise `?0`. */
                    "upload-complete"?: string;
                    /** @description Size of the whole content in bytes. */
                    "upload-length"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.cross_origin"];
            404: components["responses"]["404.not_found"];
            409: components["responses"]["409.conflict"];
            413: components["responses"]["413.too_large"];
            415: components["responses"]["415.unsupported_media_type"];
            422: components["responses"]["422.digest_mismatch"];
            429: components["responses"]["429.rate_limited"];
            default: components["responses"]["Problem"];
        };
    };
    watchSite: {
        parameters: {
            query?: {
                /** @description Returns only events after this revision. */
                after?: number;
                /** @description Number of events in a JSON page, from 1 to 500. Defaults to 100. */
                limit?: number;
            };
            header?: {
                /** @description ID of the last event received. Takes precedence over `after`. */
                "last-event-id"?: string;
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
                /** @description The `stele-position` of an earlier response. The result of the read is at least as recent as that response. */
                "stele-position"?: string;
            };
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of the site’s events so far, followed by new events as they happen. The ID of an event is its revision. After the final event, the stream sends `end` without an ID. If the stream does not reach the requested revision within 2 seconds, it sends `reset` and starts from the beginning. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                    "application/x-ndjson": string;
                    "application/json": {
                        items: components["schemas"]["SiteEvent"][];
                        /** @description Value of `after` for the next page. */
                        after: number;
                        limit: number;
                        /** @description Number of events in the stream. */
                        total: number;
                        /** @description Whether this page reaches the end of the stream and no further events will follow. */
                        ended: boolean;
                    };
                };
            };
            /** @description The stream has ended, and the client has received all of its events. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid"];
            404: components["responses"]["404.not_found.site_not_found"];
            410: components["responses"]["410.site_expired"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    takeDown: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    reason: string;
                };
            };
        };
        responses: {
            /** @description The site has been taken down. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TakenDown"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.cross_origin"];
            404: components["responses"]["404.not_found.site_not_found"];
            409: components["responses"]["409.conflict"];
            413: components["responses"]["413.too_large"];
            415: components["responses"]["415.unsupported_media_type"];
            default: components["responses"]["Problem"];
        };
    };
    restore: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The site has been restored. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TakenDown"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.cross_origin"];
            404: components["responses"]["404.not_found.site_not_found"];
            409: components["responses"]["409.conflict"];
            415: components["responses"]["415.unsupported_media_type"];
            default: components["responses"]["Problem"];
        };
    };
    listInvites: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: {
                /** @description The `stele-position` of an earlier response. The result of the read is at least as recent as that response. */
                "stele-position"?: string;
            };
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of invites. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invites"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid"];
            404: components["responses"]["404.not_found.site_not_found"];
            410: components["responses"]["410.site_expired"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    inviteMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: email */
                    email: string;
                    /** @enum {string} */
                    role: "owner" | "editor" | "viewer";
                };
            };
        };
        responses: {
            /** @description The invite has been sent. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invite"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid.cross_origin"];
            404: components["responses"]["404.not_found.site_not_found"];
            409: components["responses"]["409.already_member.conflict"];
            410: components["responses"]["410.site_expired"];
            413: components["responses"]["413.too_large"];
            415: components["responses"]["415.unsupported_media_type"];
            429: components["responses"]["429.rate_limited"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    revokeInvite: {
        parameters: {
            query: {
                /** @description ID of the invite (`inv_…`). */
                id: string;
            };
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invite has been revoked. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid.cross_origin"];
            404: components["responses"]["404.not_found.site_not_found"];
            409: components["responses"]["409.conflict"];
            410: components["responses"]["410.site_expired"];
            415: components["responses"]["415.unsupported_media_type"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    acceptInvite: {
        parameters: {
            query: {
                /** @description Token from the link in the email. */
                token: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user is now a member of the site and is signed in. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Joined"];
                };
            };
            400: components["responses"]["400.invalid_request.invalid_token.page"];
            401: components["responses"]["401.unauthenticated.page"];
            409: components["responses"]["409.conflict.page"];
            429: components["responses"]["429.rate_limited.page"];
            default: components["responses"]["ProblemPage"];
        };
    };
    acceptInviteByButton: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Token from the link in the email. */
                    token: string;
                };
            };
        };
        responses: {
            /** @description The user is now a member of the site and is signed in. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Joined"];
                };
            };
            400: components["responses"]["400.invalid_request.invalid_token.page"];
            401: components["responses"]["401.unauthenticated.page"];
            403: components["responses"]["403.cross_origin.page"];
            409: components["responses"]["409.conflict.page"];
            413: components["responses"]["413.too_large.page"];
            415: components["responses"]["415.unsupported_media_type.page"];
            429: components["responses"]["429.rate_limited.page"];
            default: components["responses"]["ProblemPage"];
        };
    };
    listMembers: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: {
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
                /** @description The `stele-position` of an earlier response. The result of the read is at least as recent as that response. */
                "stele-position"?: string;
            };
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of members. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Members"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid"];
            404: components["responses"]["404.not_found.site_not_found"];
            410: components["responses"]["410.site_expired"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    removeMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user is no longer a member of the site. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid.cross_origin"];
            404: components["responses"]["404.not_found.site_not_found"];
            409: components["responses"]["409.last_owner.conflict"];
            410: components["responses"]["410.site_expired"];
            415: components["responses"]["415.unsupported_media_type"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    changeRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    role: "owner" | "editor" | "viewer";
                };
            };
        };
        responses: {
            /** @description The updated member. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid.cross_origin"];
            404: components["responses"]["404.not_found.site_not_found"];
            409: components["responses"]["409.last_owner.conflict"];
            410: components["responses"]["410.site_expired"];
            413: components["responses"]["413.too_large"];
            415: components["responses"]["415.unsupported_media_type"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    listSecrets: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: {
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
            };
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of secrets that have a value. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Secrets"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid"];
            404: components["responses"]["404.not_found.site_not_found"];
            410: components["responses"]["410.site_expired"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    setSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Value of up to 32 KiB of UTF-8. It is never returned. */
                    value: string;
                };
            };
        };
        responses: {
            /** @description The secret. Its value is stored encrypted. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Secret"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid.cross_origin"];
            404: components["responses"]["404.not_found.site_not_found"];
            409: components["responses"]["409.conflict"];
            410: components["responses"]["410.site_expired"];
            413: components["responses"]["413.too_large"];
            415: components["responses"]["415.unsupported_media_type"];
            429: components["responses"]["429.quota_exceeded"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    deleteSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The secret has been deleted, or had already been deleted. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid.cross_origin"];
            404: components["responses"]["404.not_found.site_not_found"];
            409: components["responses"]["409.conflict"];
            410: components["responses"]["410.site_expired"];
            415: components["responses"]["415.unsupported_media_type"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    renameSite: {
        parameters: {
            query?: never;
            header?: {
                /** @description The last known `etag` of the site. The request fails with 412 if, since then, someone has renamed, claimed or taken down the site, or changed its title, its description or who can see it. */
                "if-match"?: string;
            };
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description New slug. It must be available or be one of the site’s former slugs. */
                    slug: string;
                };
            };
        };
        responses: {
            /** @description The site with its new slug. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    etag: components["headers"]["etag"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Site"];
                };
            };
            400: components["responses"]["400.invalid_request.invalid_slug"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid.cross_origin"];
            404: components["responses"]["404.not_found.site_not_found"];
            409: components["responses"]["409.slug_taken.conflict"];
            410: components["responses"]["410.site_expired"];
            412: components["responses"]["412.revision_mismatch"];
            413: components["responses"]["413.too_large"];
            415: components["responses"]["415.unsupported_media_type"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    listCapabilities: {
        parameters: {
            query?: never;
            header?: {
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
                /** @description The `stele-position` of an earlier response. The result of the read is at least as recent as that response. */
                "stele-position"?: string;
            };
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every capability, and whether it is enabled. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Capabilities"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid"];
            404: components["responses"]["404.not_found.site_not_found"];
            410: components["responses"]["410.site_expired"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    setCapability: {
        parameters: {
            query?: never;
            header?: {
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
            };
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @enum {string} */
                    name: "spa";
                    enabled: boolean;
                    /** @description Settings of the capability. Unchanged if omitted. */
                    config?: Record<string, never>;
                } | {
                    /** @enum {string} */
                    name: "listing";
                    enabled: boolean;
                    /** @description Settings of the capability. Unchanged if omitted. */
                    config?: Record<string, never>;
                } | {
                    /** @enum {string} */
                    name: "connector";
                    enabled: boolean;
                    /** @description Settings of the capability. Unchanged if omitted. */
                    config?: Record<string, never>;
                } | {
                    /** @enum {string} */
                    name: "analytics";
                    enabled: boolean;
                    /** @description Settings of the capability. Unchanged if omitted. */
                    config?: Record<string, never>;
                } | {
                    /** @enum {string} */
                    name: "egress";
                    enabled: boolean;
                    /** @description Settings of the capability. Unchanged if omitted. */
                    config?: {
                        hosts: string[];
                    };
                };
            };
        };
        responses: {
            /** @description The capability with its new settings. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Capability"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid.cross_origin"];
            404: components["responses"]["404.not_found.site_not_found"];
            409: components["responses"]["409.conflict"];
            410: components["responses"]["410.site_expired"];
            413: components["responses"]["413.too_large"];
            415: components["responses"]["415.unsupported_media_type"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    listConnectorTokens: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of connector tokens. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectorTokens"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid"];
            404: components["responses"]["404.not_found.site_not_found"];
            410: components["responses"]["410.site_expired"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    issueConnectorToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description Display name for the agent, such as the name of the machine that it runs on.
                     * @default agent
                     */
                    name?: string;
                };
            };
        };
        responses: {
            /** @description The new token, valid immediately. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectorTokenIssued"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid.cross_origin"];
            404: components["responses"]["404.not_found.site_not_found"];
            409: components["responses"]["409.conflict"];
            410: components["responses"]["410.site_expired"];
            413: components["responses"]["413.too_large"];
            415: components["responses"]["415.unsupported_media_type"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    revokeConnectorToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token has been revoked. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid.cross_origin"];
            404: components["responses"]["404.not_found.site_not_found"];
            409: components["responses"]["409.conflict"];
            410: components["responses"]["410.site_expired"];
            415: components["responses"]["415.unsupported_media_type"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    listSiteTokens: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of valid access tokens, each with the day on which it was last used. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessTokens"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid"];
            404: components["responses"]["404.not_found.site_not_found"];
            410: components["responses"]["410.site_expired"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    makeSiteToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Display name, such as `deploy from main`. */
                    name: string;
                    /** @enum {string} */
                    role: "editor" | "viewer";
                    /**
                     * Format: date-time
                     * @description Time at which the token expires. Without it, the token is valid until it is revoked.
                     */
                    expiresAt?: string;
                };
            };
        };
        responses: {
            /** @description The new access token, valid immediately. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedAccessToken"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid.cross_origin"];
            404: components["responses"]["404.not_found.site_not_found"];
            409: components["responses"]["409.conflict"];
            410: components["responses"]["410.site_expired"];
            413: components["responses"]["413.too_large"];
            415: components["responses"]["415.unsupported_media_type"];
            429: components["responses"]["429.rate_limited"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    endSiteToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The access token no longer works. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid.cross_origin"];
            404: components["responses"]["404.not_found.site_not_found"];
            409: components["responses"]["409.conflict"];
            410: components["responses"]["410.site_expired"];
            415: components["responses"]["415.unsupported_media_type"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    listPublishers: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of trusted publishers. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Publishers"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid"];
            404: components["responses"]["404.not_found.site_not_found"];
            410: components["responses"]["410.site_expired"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    trustPublisher: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description URL of the issuer, exactly as in its tokens. */
                    issuer: string;
                    /** @description Claims that a job’s ID token must contain. They are compared exactly. For example: `{ "repository": "octo-org/website", "ref": "refs/heads/main" }`. At least one must identify a repository or project. */
                    claims: {
                        repository?: string;
                        project_path?: string;
                        repository_id?: string;
                        repository_owner_id?: string;
                        project_id?: string;
                        namespace_id?: string;
                    } & {
                        [key: string]: string & (unknown & unknown);
                    };
                };
            };
        };
        responses: {
            /** @description The trusted publisher. It takes effect immediately. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Publisher"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid.cross_origin"];
            404: components["responses"]["404.not_found.site_not_found"];
            409: components["responses"]["409.conflict"];
            410: components["responses"]["410.site_expired"];
            413: components["responses"]["413.too_large"];
            415: components["responses"]["415.unsupported_media_type"];
            429: components["responses"]["429.rate_limited"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    removePublisher: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Jobs can no longer get access tokens through this publisher, and the tokens they already have no longer work. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid.cross_origin"];
            404: components["responses"]["404.not_found.site_not_found"];
            409: components["responses"]["409.conflict"];
            410: components["responses"]["410.site_expired"];
            415: components["responses"]["415.unsupported_media_type"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    exchangeToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The job’s ID token: a JWT from its issuer, with this service’s base URL as its audience. */
                    idToken: string;
                    /** @description Slug of the site. Required if several sites trust the job. */
                    slug?: string;
                };
            };
        };
        responses: {
            /** @description An access token for the site. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExchangedToken"];
                };
            };
            400: components["responses"]["400.invalid_request.invalid_token"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.cross_origin"];
            409: components["responses"]["409.conflict"];
            413: components["responses"]["413.too_large"];
            415: components["responses"]["415.unsupported_media_type"];
            429: components["responses"]["429.rate_limited"];
            default: components["responses"]["Problem"];
        };
    };
    listServers: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of servers. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Servers"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden"];
            404: components["responses"]["404.not_found"];
            default: components["responses"]["Problem"];
        };
    };
    health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process is running. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            default: components["responses"]["Problem"];
        };
    };
    ready: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process can accept deploys. While it cannot, the response is 503. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ready"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            default: components["responses"]["Problem"];
        };
    };
    explain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Explanation of the error code, as an HTML page for browsers. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorCode"];
                    "text/html": string;
                };
            };
            400: components["responses"]["400.invalid_request.page"];
            401: components["responses"]["401.unauthenticated.page"];
            404: components["responses"]["404.not_found.page"];
            default: components["responses"]["ProblemPage"];
        };
    };
    index: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Plain text. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            default: components["responses"]["Problem"];
        };
    };
    whole: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Plain text. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            default: components["responses"]["Problem"];
        };
    };
    openapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The OpenAPI 3.1 description of this API. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description The description still matches the ETag in `if-none-match`. */
            304: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            default: components["responses"]["Problem"];
        };
    };
    limits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The limits. Sizes are in bytes, durations in seconds. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Limits"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            default: components["responses"]["Problem"];
        };
    };
    changelog: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The changelog, newest version first. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Changelog"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            default: components["responses"]["Problem"];
        };
    };
    changelogText: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The changelog in the format of Keep a Changelog. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/markdown": string;
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            default: components["responses"]["Problem"];
        };
    };
    changelogFeed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description RSS 2.0 with one item per release. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/rss+xml": string;
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            default: components["responses"]["Problem"];
        };
    };
    securityText: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Plain text. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            default: components["responses"]["Problem"];
        };
    };
    auditKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys. Keep a copy, so that you can detect whether a key is ever replaced. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/jwk-set+json": components["schemas"]["AuditKeys"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            default: components["responses"]["Problem"];
        };
    };
    installScript: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A script for sh. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            404: components["responses"]["404.not_found"];
            default: components["responses"]["Problem"];
        };
    };
    newestArchive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The address of the archive of the newest version is in `location`. */
            302: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            404: components["responses"]["404.not_found"];
            default: components["responses"]["Problem"];
        };
    };
    archive: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A tar.gz archive with a `package.json` and one JavaScript file. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/gzip": string;
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            404: components["responses"]["404.not_found"];
            default: components["responses"]["Problem"];
        };
    };
    joinWaitlist: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: email */
                    email: string;
                    note?: string;
                };
            };
        };
        responses: {
            /** @description The address is on the waitlist. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WaitlistJoined"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.cross_origin"];
            409: components["responses"]["409.conflict"];
            413: components["responses"]["413.too_large"];
            415: components["responses"]["415.unsupported_media_type"];
            429: components["responses"]["429.rate_limited"];
            default: components["responses"]["Problem"];
        };
    };
    startSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: email */
                    email: string;
                };
            };
        };
        responses: {
            /** @description An email with a link and a code was sent. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInStarted"];
                };
            };
            400: components["responses"]["400.invalid_request.invalid_token.page"];
            401: components["responses"]["401.unauthenticated.page"];
            403: components["responses"]["403.cross_origin.page"];
            409: components["responses"]["409.conflict.page"];
            413: components["responses"]["413.too_large.page"];
            415: components["responses"]["415.unsupported_media_type.page"];
            429: components["responses"]["429.rate_limited.page"];
            default: components["responses"]["ProblemPage"];
        };
    };
    verify: {
        parameters: {
            query: {
                /** @description Token from the emailed link. */
                token: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signed in. Browsers also get the session cookie. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            400: components["responses"]["400.invalid_request.invalid_token.page"];
            401: components["responses"]["401.unauthenticated.page"];
            409: components["responses"]["409.conflict.page"];
            429: components["responses"]["429.rate_limited.page"];
            default: components["responses"]["ProblemPage"];
        };
    };
    verifyByButton: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Token from the emailed link. */
                    token: string;
                };
            };
        };
        responses: {
            /** @description Signed in. Browsers also get the session cookie. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            400: components["responses"]["400.invalid_request.invalid_token.page"];
            401: components["responses"]["401.unauthenticated.page"];
            403: components["responses"]["403.cross_origin.page"];
            409: components["responses"]["409.conflict.page"];
            413: components["responses"]["413.too_large.page"];
            415: components["responses"]["415.unsupported_media_type.page"];
            429: components["responses"]["429.rate_limited.page"];
            default: components["responses"]["ProblemPage"];
        };
    };
    code: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: email */
                    email: string;
                    /** @description The 8-character code from the email. Spaces and hyphens are ignored. */
                    code: string;
                };
            };
        };
        responses: {
            /** @description Signed in. Browsers also get the session cookie. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            400: components["responses"]["400.invalid_request.invalid_token.page"];
            401: components["responses"]["401.unauthenticated.page"];
            403: components["responses"]["403.cross_origin.page"];
            409: components["responses"]["409.conflict.page"];
            413: components["responses"]["413.too_large.page"];
            415: components["responses"]["415.unsupported_media_type.page"];
            429: components["responses"]["429.rate_limited.page"];
            default: components["responses"]["ProblemPage"];
        };
    };
    begin: {
        parameters: {
            query?: {
                /** @description Page on this service to show after sign-in. */
                returnTo?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page with a link that starts the sign-in. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Redirects to the provider. */
            303: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request.invalid_token.page"];
            401: components["responses"]["401.unauthenticated.page"];
            409: components["responses"]["409.conflict.page"];
            429: components["responses"]["429.rate_limited.page"];
            default: components["responses"]["ProblemPage"];
        };
    };
    comeBack: {
        parameters: {
            query: {
                /** @description The `state` that was sent to the provider. */
                state: string;
                code?: string;
                /** @description Issuer of the response (RFC 9207). */
                iss?: string;
                error?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signed in. Returned to API clients instead of the redirect. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            /** @description Signed in. Redirects to the requested page, or to the list of sites. */
            303: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request.invalid_token.page"];
            401: components["responses"]["401.unauthenticated.page"];
            403: components["responses"]["403.forbidden.page"];
            409: components["responses"]["409.conflict.page"];
            429: components["responses"]["429.rate_limited.page"];
            default: components["responses"]["ProblemPage"];
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signed out. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request.page"];
            401: components["responses"]["401.unauthenticated.page"];
            403: components["responses"]["403.forbidden.cross_origin.page"];
            409: components["responses"]["409.conflict.page"];
            415: components["responses"]["415.unsupported_media_type.page"];
            default: components["responses"]["ProblemPage"];
        };
    };
    me: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `stele-position` of an earlier response. The result of the read is at least as recent as that response. */
                "stele-position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user that the session or access token belongs to. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden"];
            default: components["responses"]["Problem"];
        };
    };
    eraseMe: {
        parameters: {
            query?: {
                /** @description With `delete`, also deletes the sites that would be left without an owner. */
                sites?: "delete";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Your account was deleted. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.cross_origin"];
            409: components["responses"]["409.last_owner.conflict"];
            415: components["responses"]["415.unsupported_media_type"];
            default: components["responses"]["Problem"];
        };
    };
    renameMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Name that the other members of your sites see, or null to remove it. */
                    name: string | null;
                };
            };
        };
        responses: {
            /** @description Your account with the new name. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.cross_origin"];
            409: components["responses"]["409.conflict"];
            413: components["responses"]["413.too_large"];
            415: components["responses"]["415.unsupported_media_type"];
            default: components["responses"]["Problem"];
        };
    };
    mySessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Your sessions. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden"];
            default: components["responses"]["Problem"];
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.cross_origin"];
            404: components["responses"]["404.not_found"];
            409: components["responses"]["409.conflict"];
            415: components["responses"]["415.unsupported_media_type"];
            default: components["responses"]["Problem"];
        };
    };
    mySites: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
                /** @description Returns only sites whose slug or title contains this text. The search is case-insensitive. */
                q?: string;
                visibility?: "public" | "password" | "members";
                /** @description Field to sort by. A leading minus sorts in descending order. */
                sort?: "updatedAt" | "-updatedAt" | "createdAt" | "-createdAt" | "slug" | "-slug";
            };
            header?: {
                /** @description The `stele-position` of an earlier response. The result of the read is at least as recent as that response. */
                "stele-position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of your sites. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MySites"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden"];
            default: components["responses"]["Problem"];
        };
    };
    outboxJson: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Up to 100 emails. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OutboxEntries"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            404: components["responses"]["404.not_found"];
            default: components["responses"]["Problem"];
        };
    };
    terminalSignIn: {
        parameters: {
            query: {
                /** @description PKCE with S256 (RFC 7636): SHA-256 of the verifier, in base64url without padding. */
                challenge: string;
                /** @description Returned along with the code. Required with `redirect_uri`. */
                state?: string;
                /** @description URL where the terminal waits for the browser: http on 127.0.0.1, [::1] or localhost, on any port. */
                redirect_uri?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A ticket. Browsers get the approval page. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TerminalTicket"];
                    "text/html": string;
                };
            };
            /** @description Redirects a browser without a session to the sign-in page. After sign-in, the browser returns here. */
            303: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request.page"];
            401: components["responses"]["401.unauthenticated.page"];
            403: components["responses"]["403.cross_origin.page"];
            429: components["responses"]["429.rate_limited.page"];
            default: components["responses"]["ProblemPage"];
        };
    };
    answerTerminal: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description PKCE with S256 (RFC 7636): SHA-256 of the verifier, in base64url without padding. */
                    challenge: string;
                    /** @description Returned along with the code. Required with `redirect_uri`. */
                    state: string;
                    /** @description URL where the terminal waits for the browser: http on 127.0.0.1, [::1] or localhost, on any port. */
                    redirect_uri: string;
                    as: string;
                    /** @enum {string} */
                    decision: "approve" | "deny" | "other";
                };
            };
        };
        responses: {
            /** @description Redirects to a page that forwards the decision to the terminal. */
            303: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request.page"];
            401: components["responses"]["401.unauthenticated.page"];
            403: components["responses"]["403.cross_origin.page"];
            409: components["responses"]["409.conflict.page"];
            413: components["responses"]["413.too_large.page"];
            415: components["responses"]["415.unsupported_media_type.page"];
            429: components["responses"]["429.rate_limited.page"];
            default: components["responses"]["ProblemPage"];
        };
    };
    terminalAnswered: {
        parameters: {
            query: {
                /** @description Identifies the sign-in that was approved or denied. */
                of: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. The response has a `refresh` header if the browser must continue to `redirect_uri`. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["400.invalid_request.invalid_token.page"];
            401: components["responses"]["401.unauthenticated.page"];
            403: components["responses"]["403.forbidden.page"];
            409: components["responses"]["409.conflict.page"];
            429: components["responses"]["429.rate_limited.page"];
            default: components["responses"]["ProblemPage"];
        };
    };
    exchangeTerminal: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Code from the query of `redirect_uri`. */
                    code?: string;
                    ticket?: string;
                    /** @description Verifier whose SHA-256 was sent as `challenge` (RFC 7636 section 4.1). */
                    verifier: string;
                };
            };
        };
        responses: {
            /** @description Signed in. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            /** @description The user has not decided yet. Try again after `retry-after` seconds. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TerminalPending"];
                };
            };
            400: components["responses"]["400.invalid_request.invalid_token"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.cross_origin"];
            409: components["responses"]["409.conflict"];
            413: components["responses"]["413.too_large"];
            415: components["responses"]["415.unsupported_media_type"];
            429: components["responses"]["429.rate_limited"];
            default: components["responses"]["Problem"];
        };
    };
    myTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Your unexpired access tokens. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MyAccessTokens"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden"];
            default: components["responses"]["Problem"];
        };
    };
    makeMyToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Display name, such as `deploy from main`. */
                    name: string;
                    /** @enum {string} */
                    role: "owner" | "editor" | "viewer";
                    /**
                     * Format: date-time
                     * @description Time at which the token expires. Without it, the token is valid until it is revoked.
                     */
                    expiresAt?: string;
                };
            };
        };
        responses: {
            /** @description The new token. Its secret is returned only once. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedAccessToken"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.cross_origin"];
            409: components["responses"]["409.conflict"];
            413: components["responses"]["413.too_large"];
            415: components["responses"]["415.unsupported_media_type"];
            429: components["responses"]["429.rate_limited"];
            default: components["responses"]["Problem"];
        };
    };
    endMyToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token no longer works. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.cross_origin"];
            404: components["responses"]["404.not_found"];
            409: components["responses"]["409.conflict"];
            415: components["responses"]["415.unsupported_media_type"];
            default: components["responses"]["Problem"];
        };
    };
    endSessionsOf: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Email address or ID (`usr_…`) of the user. The ID appears in the log and in site histories. */
                    user: string;
                };
            };
        };
        responses: {
            /** @description All of the user’s sessions have ended. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.cross_origin"];
            404: components["responses"]["404.not_found"];
            409: components["responses"]["409.conflict"];
            413: components["responses"]["413.too_large"];
            415: components["responses"]["415.unsupported_media_type"];
            default: components["responses"]["Problem"];
        };
    };
    recordRunEvent: {
        parameters: {
            query?: never;
            header?: {
                /** @description Edit token of one of your sites. If it was sent with the first event of a run, send it with all later ones. */
                "x-svc-edit-token"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    runId: string;
                    /** @enum {string} */
                    kind: "run.started" | "run.progress" | "run.log" | "run.succeeded" | "run.failed";
                    data?: {
                        [key: string]: unknown;
                    };
                    jobId?: string;
                };
            };
        };
        responses: {
            /** @description The event was recorded. Clients that watch the run receive it. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunEventRecorded"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.cross_origin"];
            409: components["responses"]["409.job_finished.conflict"];
            413: components["responses"]["413.too_large"];
            415: components["responses"]["415.unsupported_media_type"];
            429: components["responses"]["429.rate_limited.quota_exceeded"];
            default: components["responses"]["Problem"];
        };
    };
    watchRun: {
        parameters: {
            query?: {
                /** @description Returns only events after this revision. */
                after?: number;
                /** @description Number of events in a JSON page, from 1 to 500. Defaults to 100. */
                limit?: number;
            };
            header?: {
                /** @description ID of the last event received. Takes precedence over `after`. */
                "last-event-id"?: string;
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
            };
            path: {
                runId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events of the run. You can connect before the first event has been recorded. The ID of an event is its revision. After the final event, the stream sends `end` without an ID. If the stream does not reach the requested revision within 2 seconds, it sends `reset` and starts from the beginning. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                    "application/x-ndjson": string;
                    "application/json": {
                        items: components["schemas"]["RunEvent"][];
                        /** @description Value of `after` for the next page. */
                        after: number;
                        limit: number;
                        /** @description Number of events in the stream. */
                        total: number;
                        /** @description Whether this page reaches the end of the stream and no further events will follow. */
                        ended: boolean;
                    };
                };
            };
            /** @description The stream has ended, and the client has received all of its events. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            404: components["responses"]["404.not_found"];
            503: components["responses"]["503.unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    checkRepo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description HTTPS URL of a public repository. The URL of a branch, folder or file in it (`…/tree/main/docs`) also sets `ref` and `rootDirectory`, and a fragment (`#main`) sets `ref`. SSH URLs and URLs without `https://` are converted to HTTPS URLs.
                     * @example https://github.com/owner/name
                     */
                    url: string;
                    /** @description Branch, tag, or commit ID (its beginning is enough). Defaults to the default branch of the repository. */
                    ref?: string;
                    /** @description Folder that contains the site. If omitted, `build.base` from netlify.toml is used, or else the repository root. */
                    rootDirectory?: string;
                    /** @description Overrides for parts of the detected build plan, as in a deploy. */
                    plan?: components["schemas"]["BuildPlanWishes"];
                };
            };
        };
        responses: {
            /** @description The detected plan. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RepoCheck"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.cross_origin"];
            409: components["responses"]["409.conflict"];
            413: components["responses"]["413.too_large.too_many_files"];
            415: components["responses"]["415.unsupported_media_type"];
            422: components["responses"]["422.repo_unreachable.repo_not_allowed.plan_not_detected"];
            429: components["responses"]["429.rate_limited"];
            503: components["responses"]["503.builder_unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    deployRepo: {
        parameters: {
            query?: never;
            header?: {
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
                /** @description Key of 8 to 255 characters. Repeating the request with the same key returns the first response. If an anonymous request creates a site, the key must be a UUID, or at least 22 random base64url or hexadecimal characters. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description HTTPS URL of a public repository. If omitted, `slug` must name a site with a linked repository, which is built.
                     * @example https://github.com/owner/name
                     */
                    url?: string;
                    /** @description Branch, tag, or commit ID (its beginning is enough). Defaults to the default branch of the repository. */
                    ref?: string;
                    /** @description Folder that contains the site. If omitted, `build.base` from netlify.toml is used, or else the repository root. */
                    rootDirectory?: string;
                    /** @description Slug of the site to deploy to: an existing site that the caller can edit, or the slug of a new site. Generated if omitted. */
                    slug?: string;
                    /** @description Overrides for parts of the detected build plan. */
                    plan?: components["schemas"]["BuildPlanWishes"];
                };
            };
        };
        responses: {
            /** @description The queued job. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobStarted"];
                };
            };
            400: components["responses"]["400.invalid_request.invalid_slug"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid.cross_origin"];
            404: components["responses"]["404.site_not_found"];
            409: components["responses"]["409.slug_taken.conflict.idempotency_in_progress"];
            410: components["responses"]["410.site_expired"];
            413: components["responses"]["413.too_large"];
            415: components["responses"]["415.unsupported_media_type"];
            422: components["responses"]["422.idempotency_key_reused.repo_unreachable.repo_not_allowed.plan_not_detected"];
            429: components["responses"]["429.rate_limited"];
            451: components["responses"]["451.taken_down"];
            503: components["responses"]["503.builder_unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    getLinkedRepository: {
        parameters: {
            query?: never;
            header?: {
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
            };
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The linked repository. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkedRepository"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid"];
            404: components["responses"]["404.not_found.site_not_found"];
            410: components["responses"]["410.site_expired"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    linkRepository: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /**
                     * @description HTTPS URL of a public repository. The URL of a branch, folder or file in it (`…/tree/main/docs`) also sets `ref` and `rootDirectory`, and a fragment (`#main`) sets `ref`. SSH URLs and URLs without `https://` are converted to HTTPS URLs.
                     * @example https://github.com/owner/name
                     */
                    url: string;
                    /** @description Name of the branch to build; the default branch if omitted. */
                    branch?: string;
                    /** @description Folder that contains the site. If omitted, `build.base` from netlify.toml is used, or else the repository root. */
                    rootDirectory?: string;
                    /** @description Overrides for parts of the detected build plan. */
                    plan?: components["schemas"]["BuildPlanWishes"];
                    /**
                     * @description Cron expression with five fields, in UTC, at most hourly. A scheduled build starts up to five minutes later.
                     * @example 0 3 * * *
                     */
                    schedule?: string;
                    /** @description Whether to skip scheduled builds if the live deploy was built from the branch’s current head commit. Off by default. */
                    skipUnchanged?: boolean;
                };
            };
        };
        responses: {
            /** @description The linked repository. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LinkedRepository"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid.cross_origin"];
            404: components["responses"]["404.not_found.site_not_found"];
            409: components["responses"]["409.conflict"];
            410: components["responses"]["410.site_expired"];
            413: components["responses"]["413.too_large"];
            415: components["responses"]["415.unsupported_media_type"];
            422: components["responses"]["422.repo_unreachable.repo_not_allowed"];
            451: components["responses"]["451.taken_down"];
            503: components["responses"]["503.builder_unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    unlinkRepository: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No repository is linked to the site. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid.cross_origin"];
            404: components["responses"]["404.not_found.site_not_found"];
            409: components["responses"]["409.conflict"];
            410: components["responses"]["410.site_expired"];
            415: components["responses"]["415.unsupported_media_type"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    listJobs: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
                status?: "queued" | "running" | "stopping" | "succeeded" | "failed" | "stopped";
            };
            header?: {
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
                /** @description The `stele-position` of an earlier response. The result of the read is at least as recent as that response. */
                "stele-position"?: string;
            };
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of jobs. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Jobs"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid"];
            404: components["responses"]["404.not_found.site_not_found"];
            410: components["responses"]["410.site_expired"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    rerun: {
        parameters: {
            query?: never;
            header?: {
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
                /** @description Key of 8 to 255 characters. Repeating the request with the same key returns the first response. If an anonymous request creates a site, the key must be a UUID, or at least 22 random base64url or hexadecimal characters. */
                "idempotency-key"?: string;
            };
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The queued job. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobStarted"];
                };
            };
            /** @description Redirect to the job’s page, for browsers. */
            303: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request.invalid_token.page"];
            401: components["responses"]["401.unauthenticated.page"];
            403: components["responses"]["403.forbidden.edit_token_invalid.cross_origin.page"];
            404: components["responses"]["404.not_found.site_not_found.page"];
            409: components["responses"]["409.nothing_to_rerun.conflict.idempotency_in_progress.page"];
            410: components["responses"]["410.site_expired.page"];
            415: components["responses"]["415.unsupported_media_type.page"];
            422: components["responses"]["422.idempotency_key_reused.page"];
            429: components["responses"]["429.rate_limited.page"];
            451: components["responses"]["451.taken_down.page"];
            503: components["responses"]["503.builder_unavailable.page"];
            default: components["responses"]["ProblemPage"];
        };
    };
    getJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
                /** @description The `stele-position` of an earlier response. The result of the read is at least as recent as that response. */
                "stele-position"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid"];
            404: components["responses"]["404.not_found.job_not_found"];
            default: components["responses"]["Problem"];
        };
    };
    stopJob: {
        parameters: {
            query?: never;
            header?: {
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Edit token of the site, for HTML forms that cannot set a header. */
                    editToken?: string;
                };
            };
        };
        responses: {
            /** @description The job. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description Redirect to the job’s page, for browsers. */
            303: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request.page"];
            401: components["responses"]["401.unauthenticated.page"];
            403: components["responses"]["403.forbidden.edit_token_invalid.cross_origin.page"];
            404: components["responses"]["404.not_found.job_not_found.page"];
            409: components["responses"]["409.job_finished.conflict.page"];
            413: components["responses"]["413.too_large.page"];
            415: components["responses"]["415.unsupported_media_type.page"];
            default: components["responses"]["ProblemPage"];
        };
    };
    watchJob: {
        parameters: {
            query?: {
                /** @description Returns only events after this revision. */
                after?: number;
                /** @description Number of events in a JSON page, from 1 to 500. Defaults to 100. */
                limit?: number;
                /** @description Whether to include terminal colours in plain-text output. */
                color?: "0" | "1";
            };
            header?: {
                /** @description ID of the last event received. Takes precedence over `after`. */
                "last-event-id"?: string;
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
                /** @description The `stele-position` of an earlier response. The result of the read is at least as recent as that response. */
                "stele-position"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All events of the job so far, then new ones as they happen. The ID of an event is its revision. After the final event, the stream sends `end` without an ID. If the stream does not reach the requested revision within 2 seconds, it sends `reset` and starts from the beginning. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                    "application/x-ndjson": string;
                    "application/json": {
                        items: components["schemas"]["JobEvent"][];
                        /** @description Value of `after` for the next page. */
                        after: number;
                        limit: number;
                        /** @description Number of events in the stream. */
                        total: number;
                        /** @description Whether this page reaches the end of the stream and no further events will follow. */
                        ended: boolean;
                    };
                    "text/plain": string;
                };
            };
            /** @description The stream has ended, and the client has received all of its events. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Redirect to the job’s page, for browsers. */
            303: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid"];
            404: components["responses"]["404.not_found.job_not_found"];
            default: components["responses"]["Problem"];
        };
    };
    listDomains: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: {
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
                /** @description The `stele-position` of an earlier response. The result of the read is at least as recent as that response. */
                "stele-position"?: string;
            };
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of domains. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Domains"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid"];
            404: components["responses"]["404.not_found.site_not_found"];
            410: components["responses"]["410.site_expired"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    addDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Hostname, such as `www.example.com` or `münchen.de`. */
                    hostname: string;
                    /** @description Another of the site’s domains, to which visitors are redirected, such as `example.com` for `www.example.com`. Null removes the redirect. */
                    redirectTo?: string | null;
                    /** @description Slug of another of your sites that currently has the domain. The domain is moved from that site without interruption. */
                    from?: string;
                };
            };
        };
        responses: {
            /** @description The domain and the DNS records to set. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AddedDomain"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid.cross_origin"];
            404: components["responses"]["404.not_found.site_not_found"];
            409: components["responses"]["409.domain_taken.conflict"];
            410: components["responses"]["410.site_expired"];
            413: components["responses"]["413.too_large"];
            415: components["responses"]["415.unsupported_media_type"];
            429: components["responses"]["429.rate_limited.quota_exceeded"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    myDomains: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
                status?: "pending" | "active" | "lost" | "failed";
                /** @description Returns only this site’s domains. */
                slug?: string;
            };
            header?: {
                /** @description The `stele-position` of an earlier response. The result of the read is at least as recent as that response. */
                "stele-position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of domains. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Domains"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid"];
            404: components["responses"]["404.site_not_found"];
            410: components["responses"]["410.site_expired"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    setDomainAccess: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    hostname: string;
                    /** @description Who can view the site at this domain. Overrides the site’s own setting; null removes the override. */
                    visibility?: ("public" | "password" | "members") | null;
                    /** @description Whether to send a Strict-Transport-Security header that makes browsers use only HTTPS for a year. Switching it off does not affect browsers that have already received it. */
                    hsts?: boolean;
                };
            };
        };
        responses: {
            /** @description The updated domain. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid.cross_origin"];
            404: components["responses"]["404.not_found.site_not_found"];
            409: components["responses"]["409.conflict"];
            410: components["responses"]["410.site_expired"];
            413: components["responses"]["413.too_large"];
            415: components["responses"]["415.unsupported_media_type"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    checkDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
                hostname: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The domain, with the results of the check. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Domain"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid.cross_origin"];
            404: components["responses"]["404.not_found.site_not_found"];
            409: components["responses"]["409.conflict"];
            410: components["responses"]["410.site_expired"];
            415: components["responses"]["415.unsupported_media_type"];
            429: components["responses"]["429.rate_limited"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    removeDomain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
                hostname: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The domain has been removed. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid.cross_origin"];
            404: components["responses"]["404.not_found.site_not_found"];
            409: components["responses"]["409.conflict"];
            410: components["responses"]["410.site_expired"];
            415: components["responses"]["415.unsupported_media_type"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    exportZone: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
                hostname: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The zone file, with one line per record. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "text/dns": string;
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid"];
            404: components["responses"]["404.not_found.site_not_found"];
            410: components["responses"]["410.site_expired"];
            429: components["responses"]["429.rate_limited"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    invokeConnector: {
        parameters: {
            query?: never;
            header?: {
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
                /** @description Key of 8 to 255 characters. Repeating the request with the same key returns the first response. If an anonymous request creates a site, the key must be a UUID, or at least 22 random base64url or hexadecimal characters. */
                "idempotency-key"?: string;
            };
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Input for the agent: any JSON value of up to 256 KiB. */
                    input: unknown;
                    /**
                     * @description Seconds to wait for the result. If no result arrives in this time, the response is 202, and you can fetch the result later by the invocation’s ID.
                     * @default 25
                     */
                    wait?: number;
                    /**
                     * @description Invocations with a higher priority are assigned first. Invocations with the same priority are assigned in order of arrival.
                     * @default 0
                     */
                    priority?: number;
                };
            };
        };
        responses: {
            /** @description The invocation succeeded or failed. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvocationAnswer"];
                    "text/event-stream": string;
                };
            };
            /** @description No result arrived within the requested wait. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    "idempotency-replayed": components["headers"]["idempotency-replayed"];
                    "retry-after": components["headers"]["retry-after"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvocationAnswer"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid.cross_origin.capability_disabled"];
            404: components["responses"]["404.not_found.site_not_found"];
            409: components["responses"]["409.conflict.idempotency_in_progress"];
            410: components["responses"]["410.site_expired"];
            413: components["responses"]["413.too_large"];
            415: components["responses"]["415.unsupported_media_type"];
            422: components["responses"]["422.idempotency_key_reused"];
            429: components["responses"]["429.rate_limited.quota_exceeded"];
            451: components["responses"]["451.taken_down"];
            503: components["responses"]["503.no_agent"];
            default: components["responses"]["Problem"];
        };
    };
    pollConnector: {
        parameters: {
            query?: {
                /** @description Maximum number of seconds to wait for work. */
                wait?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Work that this agent has leased until the deadline. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectorWork"];
                };
            };
            /** @description No work arrived. Poll again. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            default: components["responses"]["Problem"];
        };
    };
    reportResult: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Output of the work: any JSON value of up to 256 KiB. */
                    output?: unknown;
                    /** @description Sent instead of `output` if the work failed. The caller sees the message. */
                    error?: {
                        message: string;
                    };
                    /**
                     * @description Marks `output` as one part of the result, with more parts to follow. Each part renews the lease for its full duration.
                     * @enum {boolean}
                     */
                    partial?: true;
                    /** @description The `attempt` that the poll returned with the work. If several agents share a token, this number distinguishes a late result from a current one. */
                    attempt?: number;
                };
            };
        };
        responses: {
            /** @description The result was recorded and the caller notified. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConnectorResultRecorded"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.cross_origin"];
            404: components["responses"]["404.not_found"];
            409: components["responses"]["409.lease_lost.conflict"];
            413: components["responses"]["413.too_large"];
            415: components["responses"]["415.unsupported_media_type"];
            default: components["responses"]["Problem"];
        };
    };
    listInvocations: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of invocations, newest first. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invocations"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid"];
            404: components["responses"]["404.not_found.site_not_found"];
            410: components["responses"]["410.site_expired"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    showInvocation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Current state of the invocation. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invocation"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid"];
            404: components["responses"]["404.not_found.site_not_found"];
            410: components["responses"]["410.site_expired"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    listTemplates: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of templates, ordered by name. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Templates"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            default: components["responses"]["Problem"];
        };
    };
    previewTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The page still matches the ETag in `if-none-match`. */
            304: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            404: components["responses"]["404.not_found"];
            default: components["responses"]["Problem"];
        };
    };
    generate: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `stele-position` of an earlier response. The result of the read is at least as recent as that response. */
                "stele-position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Description of the page. It is sent to the model and not stored. */
                    prompt?: string;
                    /** @description Name of a template to use instead of a prompt. */
                    template?: string;
                    /** @description Values for the template, as described by its `parameters` schema. */
                    parameters?: {
                        [key: string]: unknown;
                    };
                    /** @description The `<title>` of the page. */
                    title?: string;
                    /** @description ID of a deploy whose `index.html` the model edits according to the prompt. Requires a role on the deploy’s site. */
                    base?: string;
                    /**
                     * @description Whether to publish the page immediately.
                     * @default false
                     */
                    deploy?: boolean;
                    /** @description Slug of a new site, or of a site that you can edit. Only with `deploy`. */
                    slug?: string;
                };
            };
        };
        responses: {
            /** @description The page, and its deploy if it was published. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    ratelimit: components["headers"]["ratelimit"];
                    "ratelimit-policy": components["headers"]["ratelimit-policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Generated"];
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["400.invalid_request.invalid_slug"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.cross_origin"];
            404: components["responses"]["404.deploy_not_found"];
            409: components["responses"]["409.slug_taken.conflict"];
            413: components["responses"]["413.too_large"];
            415: components["responses"]["415.unsupported_media_type"];
            422: components["responses"]["422.generation_refused.generation_incomplete"];
            429: components["responses"]["429.rate_limited.quota_exceeded"];
            503: components["responses"]["503.generator_unavailable"];
            default: components["responses"]["Problem"];
        };
    };
    logs: {
        parameters: {
            query?: {
                /** @description Entry kinds, separated by commas: access, deploy, job, server, system. */
                kind?: string;
                /** @description Entry levels, separated by commas: info, warn, error. */
                level?: string;
                /** @description Response statuses or classes, separated by commas, such as `404` or `4xx`. */
                status?: string;
                /** @description Prefix of the request path. */
                path?: string;
                /** @description Text that the message must contain. The search ignores the case of ASCII letters. */
                q?: string;
                /** @description Only entries at or after this time (RFC 3339). */
                since?: string;
                /** @description Only entries before this time (RFC 3339). */
                until?: string;
                /** @description Returns entries older than the one with this ID. */
                before?: string;
                /** @description Returns entries newer than the one with this ID. A stream resumes after it. */
                after?: string;
                /** @description Whether to include terminal colours in plain-text output. Defaults to 0. */
                color?: "0" | "1";
                /** @description Number of entries on a page or at the start of a stream, from 1 to 500. Defaults to 100. */
                limit?: number;
            };
            header?: {
                /** @description ID of the last entry received, for streams. Takes precedence over `after`. */
                "last-event-id"?: string;
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
                /** @description The `stele-position` of an earlier response. The result of the read is at least as recent as that response. */
                "stele-position"?: string;
            };
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Log entries. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["LogEntry"][];
                        limit: number;
                        /** @description Value of `before` for the next page, or null if there are no more entries. Because each request searches only part of a long log, a page can have fewer entries than its limit, or none at all, even if more follow. */
                        next: string | null;
                    };
                    "text/csv": string;
                    "text/event-stream": string;
                    "application/x-ndjson": string;
                    "text/plain": string;
                };
            };
            /** @description Redirects browsers to the log page. */
            303: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid"];
            404: components["responses"]["404.not_found.site_not_found"];
            410: components["responses"]["410.site_expired"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    analytics: {
        parameters: {
            query?: {
                /** @description Start of the range: a day (UTC) or a time (RFC 3339). Defaults to 30 days before `to`. */
                from?: string;
                /** @description End of the range: the last day (UTC), inclusive, or a time (RFC 3339), exclusive. Defaults to today. */
                to?: string;
                /** @description Interval between the data points in the series. */
                interval?: "hour" | "day" | "month";
            };
            header?: {
                /** @description Edit token of a site without an owner. */
                "x-svc-edit-token"?: string;
                /** @description The `stele-position` of an earlier response. The result of the read is at least as recent as that response. */
                "stele-position"?: string;
            };
            path: {
                slug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The visits in the requested range. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Analytics"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.edit_token_invalid.capability_disabled"];
            404: components["responses"]["404.not_found.site_not_found.deploy_not_found"];
            410: components["responses"]["410.site_expired"];
            451: components["responses"]["451.taken_down"];
            default: components["responses"]["Problem"];
        };
    };
    allSitesTraffic: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
                /** @description Start of the range: a day (UTC) or a time. Requests past their retention period are not counted. */
                from?: string;
                /** @description End of the range: the last day (UTC), or a time. */
                to?: string;
            };
            header?: {
                /** @description The `stele-position` of an earlier response. The result of the read is at least as recent as that response. */
                "stele-position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of sites. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AllSitesTraffic"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden"];
            404: components["responses"]["404.not_found.deploy_not_found"];
            default: components["responses"]["Problem"];
        };
    };
    status: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The status. The response is 200 even while components are failing. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Status"];
                    "text/html": string;
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            default: components["responses"]["Problem"];
        };
    };
    statusFeed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description RSS 2.0 with one item per update. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    etag: components["headers"]["etag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/rss+xml": string;
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            default: components["responses"]["Problem"];
        };
    };
    listIncidents: {
        parameters: {
            query?: {
                page?: number;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of incidents. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        items: components["schemas"]["Incident"][];
                        page: number;
                        limit: number;
                        total: number;
                    };
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden"];
            404: components["responses"]["404.not_found"];
            default: components["responses"]["Problem"];
        };
    };
    tellIncident: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    title: string;
                    /** @description Text in Markdown, without HTML or images. Links can use https, http and mailto. */
                    body: string;
                    /** @description Affected components. Empty if all components are affected, or none in particular. */
                    components: ("publish" | "serve" | "history" | "streams" | "jobs" | "servers" | "mail" | "domains" | "agents")[];
                    /** @enum {string} */
                    status: "investigating" | "identified" | "monitoring" | "resolved";
                };
            };
        };
        responses: {
            /** @description The incident. It now appears on the status page and in its feed. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Incident"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.cross_origin"];
            404: components["responses"]["404.not_found"];
            409: components["responses"]["409.conflict"];
            413: components["responses"]["413.too_large"];
            415: components["responses"]["415.unsupported_media_type"];
            default: components["responses"]["Problem"];
        };
    };
    updateIncident: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description Text in Markdown, without HTML or images. Links can use https, http and mailto. */
                    body: string;
                    /** @enum {string} */
                    status?: "investigating" | "identified" | "monitoring" | "resolved";
                    title?: string;
                    /** @description Affected components. Empty if all components are affected, or none in particular. */
                    components?: ("publish" | "serve" | "history" | "streams" | "jobs" | "servers" | "mail" | "domains" | "agents")[];
                };
            };
        };
        responses: {
            /** @description The incident with the new update. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Incident"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.cross_origin"];
            404: components["responses"]["404.not_found"];
            409: components["responses"]["409.conflict"];
            413: components["responses"]["413.too_large"];
            415: components["responses"]["415.unsupported_media_type"];
            default: components["responses"]["Problem"];
        };
    };
    myGrants: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `stele-position` of an earlier response. The result of the read is at least as recent as that response. */
                "stele-position"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The apps that can act for you. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GrantList"];
                };
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden"];
            default: components["responses"]["Problem"];
        };
    };
    endGrant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Access was revoked. All of the app’s tokens have stopped working. */
            204: {
                headers: {
                    "x-request-id": components["headers"]["x-request-id"];
                    "stele-revision": components["headers"]["stele-revision"];
                    "stele-position": components["headers"]["stele-position"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            403: components["responses"]["403.forbidden.cross_origin"];
            404: components["responses"]["404.not_found"];
            409: components["responses"]["409.conflict"];
            415: components["responses"]["415.unsupported_media_type"];
            default: components["responses"]["Problem"];
        };
    };
    visit: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                slug: string;
                /** @description Path in the site, including slashes. Empty for the front page, `/s/{slug}/`. */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["400.invalid_request"];
            401: components["responses"]["401.unauthenticated"];
            /** @description The site’s 404.html, or a plain page. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Problem"];
        };
    };
}
