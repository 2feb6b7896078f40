// Nest’s convention is to start `dist/main.js`. This file must not import the rest of the service before the Node version
// has been checked.
import './start.js';
