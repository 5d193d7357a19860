// Starts every module; each one works alone and does nothing where it has nothing to do.

import "./times.js";
import "./drafts.js";
import "./steps.js";
import "./news.js";
import "./live.js";
import "./shortcuts.js";
