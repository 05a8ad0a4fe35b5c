/* All scenarios in one process: they share one daemon and one browser. */

import "./speaking.mjs";
import "./words.mjs";
import "./attention.mjs";
import "./keyboard.mjs";
import "./errors.mjs";
import "./taking_home.mjs";
import "./looks.mjs";
import "./reach.mjs";
import "./keeping.mjs";
import "./settings.mjs";
import "./phone.mjs";
import "./editing.mjs";
import "./long.mjs";
import "./axe.mjs";
import "./lab.mjs";
