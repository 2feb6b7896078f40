import './kept-code.js';

export { TestEnvironment as default } from 'jest-environment-node';
