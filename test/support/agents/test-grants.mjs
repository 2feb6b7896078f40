import { registerHooks } from 'node:module';

// Given to a service by `node --import`: the grants of tests take the place of its own. Nothing of it is in the product.
registerHooks({
  resolve(specifier, context, next) {
    if (!specifier.endsWith('/grants/no-agent-grants.js')) return next(specifier, context);
    return { url: new URL('./test-agent-grants.mjs', import.meta.url).href, shortCircuit: true };
  },
});
