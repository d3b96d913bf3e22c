// The console: one page with two views, and the address says which.

import { byID } from "./dom.js";
import { link, place } from "./location.js";
import { overview, prepareOverview } from "./overview.js";
import { forgetTrace, showTrace } from "./trace.js";

function show(focus) {
  const { view } = place();
  for (const name of ["overview", "trace"]) {
    byID(name).hidden = name !== view;
    if (name === view) byID("to-" + name).setAttribute("aria-current", "page");
    else byID("to-" + name).removeAttribute("aria-current");
  }
  overview(view === "overview");
  if (view === "trace") return showTrace({ focus });
  document.title = "Strata console";
  forgetTrace();
}

byID("explore").addEventListener("submit", (submission) => {
  submission.preventDefault();
  const asked = byID("asked").value.trim();
  if (asked === "") return;
  const there = link({ q: asked });
  if (location.hash === there) {
    forgetTrace();
    show(true);
  } else {
    location.hash = there;
  }
});
// The fragment says what is shown, so that a link within the page can't be one.
byID("skip").addEventListener("click", (click) => {
  click.preventDefault();
  byID("main").focus();
});
addEventListener("hashchange", () => show(true));
prepareOverview();
show(false);
