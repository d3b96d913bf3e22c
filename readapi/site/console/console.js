// The console: one page with two views. The fragment of the address selects the view.

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
  const text = byID("asked").value.trim();
  if (text === "") return;
  const target = link({ q: text });
  if (location.hash === target) {
    forgetTrace();
    show(true);
  } else {
    location.hash = target;
  }
});
// The fragment holds the state of the page, so that it cannot name an element to jump to. Move the focus instead.
byID("skip").addEventListener("click", (click) => {
  click.preventDefault();
  byID("main").focus();
});
addEventListener("hashchange", () => show(true));
prepareOverview();
show(false);
