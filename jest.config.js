const swc = {
  swcrc: false,
  sourceMaps: 'inline',
  jsc: {
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    target: 'es2023',
    keepClassNames: true,
  },
  module: { type: 'es6' },
};

export default {
  testEnvironment:
    process.env.STELE_TEST_FLEET === '1'
      ? '<rootDir>/test/support/jest/fleet-environment.js'
      : '<rootDir>/test/support/jest/environment.js',
  // Packages of clients/ are tested from their sources, as the bundler reads them.
  testEnvironmentOptions: { customExportConditions: ['stele-source', 'node', 'node-addons'] },
  // Keeps the cache in node_modules, because each run has its own temporary folder.
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  roots: ['<rootDir>/src', '<rootDir>/test', '<rootDir>/clients/api/src', '<rootDir>/clients/cli/src'],
  testRegex: '\\.((db|http|system|fleet|long)-)?spec\\.ts$',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.ts$': ['@swc/jest', swc] },
  globalSetup: '<rootDir>/test/support/jest/global-setup.js',
  globalTeardown: '<rootDir>/test/support/jest/global-teardown.js',
  testSequencer: '<rootDir>/test/support/jest/longest-first.js',
  setupFiles: ['reflect-metadata'],
  testTimeout: 60_000,
};
