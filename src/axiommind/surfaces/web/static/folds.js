// Pages on which something is fetched when it is unfolded, and nothing else.
import { listen } from './fold.js';

listen(document);
