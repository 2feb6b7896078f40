import { Module } from '@nestjs/common';
import { features } from '../../nest/features.js';
import { SitesModule } from '../sites/sites.module.js';
import { endSessions } from './end-sessions/end-sessions.js';
import { erase } from './erase/erase.js';
import { me } from './me/me.js';
import { mySites } from './me/my-sites.js';
import { outbox } from './outbox/outbox.js';
import { identityProvider } from './sign-in/identity-provider.js';
import { signInPages } from './sign-in/sign-in.page.js';
import { signInAttemptsTable } from './sign-in/sign-in-attempts.js';
import { signOut } from './sign-in/sign-out.js';
import { start } from './sign-in/start.js';
import { verify } from './sign-in/verify.js';
import { stylesheet } from './style/stylesheet.js';
import { ask } from './terminal/ask.js';
import { complete } from './terminal/complete.js';
import { exchange } from './terminal/exchange.js';
import { terminalSignInsTable } from './terminal/terminal-sign-ins.js';
import { ticket } from './terminal/ticket.js';
import { myTokens } from './tokens/my-tokens.js';

@Module({
  imports: [SitesModule],
  ...features(
    { tables: [terminalSignInsTable, signInAttemptsTable] },
    start,
    verify,
    identityProvider,
    signOut,
    signInPages,
    me,
    mySites,
    erase,
    outbox,
    stylesheet,
    ask,
    ticket,
    complete,
    exchange,
    myTokens,
    endSessions,
  ),
})
export class IdentityModule {}
