import { registerHooks } from 'node:module';

// Loaded into a service with `node --import`. In addition to Stele's own tools, resources and prompts, it provides
// those that the protocol's conformance suite expects of any server. The product contains none of them.
registerHooks({
  resolve(specifier, context, next) {
    if (!specifier.endsWith('/agent-server.js') || context.parentURL?.includes('/test/'))
      return next(specifier, context);
    return { url: new URL('./conformance-server.ts', import.meta.url).href, shortCircuit: true };
  },
});
