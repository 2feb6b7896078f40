// Nest users start `dist/main.js`. It must not import the rest of the program before the Node version has been checked.
import './start.js';
