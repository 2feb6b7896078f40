import type { CommandDefinition } from '../command-line/command.js';
import { deploy } from './deploy.js';

/** All commands, in the order of the help. */
export const COMMANDS: readonly CommandDefinition[] = [deploy];
