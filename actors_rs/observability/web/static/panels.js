// The panel of a stage, the question before a button acts, and messages.
"use strict";
(() => {
  Page.say = (text) => {
    const message = Page.find("message");
    message.hidden = !text;
    Page.text(message, text || "");
    if (text) setTimeout(() => { message.hidden = true; }, 8000);
  };

  // Asks once; calls then(value) on yes. With a value there is a field for a number.
  Page.ask = (question, value, then) => {
    const dialog = Page.find("ask");
    const field = value === null ? null : Page.make("input", { type: "number", value, min: 0, step: "any", "aria-label": question });
    const yes = Page.make("button", { type: "submit", class: "yes" }, "Yes, do it");
    const no = Page.make("button", { type: "button", onclick: () => dialog.close() }, "No");
    const form = Page.make("form", { method: "dialog", onsubmit: () => then(field ? Number(field.value) : null) },
      Page.make("p", {}, question), field, Page.make("div", { class: "row" }, no, yes));
    dialog.replaceChildren(form);
    dialog.showModal();
  };

  Page.press = async (run, action, order) => {
    try {
      const answer = await fetch(`api/runs/${run}/${action}`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-actors-page": "1" },
        body: JSON.stringify(order),
      });
      if (!answer.ok) Page.say(await answer.text());
    } catch (error) {
      Page.say(`The program did not answer: ${error.message}`);
    }
  };

  const list = (title, pairs) => {
    const shown = Object.entries(pairs);
    if (!shown.length) return [];
    return [Page.make("h3", {}, title), Page.make("dl", {}, ...shown.flatMap(([name, value]) =>
      [Page.make("dt", {}, name.replaceAll("_", " ")), Page.make("dd", {}, String(value))]))];
  };

  const controls = (run, stage) => {
    const button = (title, question, action, value = null) => Page.make("button", {
      type: "button",
      onclick: () => Page.ask(question, value, (given) =>
        Page.press(run, action, given === null ? { stage: stage.name } : { stage: stage.name, value: given })),
    }, title);
    const found = [];
    if (stage.state !== "running") return found;
    if (stage.source && !stage.paused) found.push(button("Pause", `Pause the source ${stage.name}?`, "pause"));
    if (stage.source && stage.paused) found.push(button("Resume", `Let the source ${stage.name} go on?`, "resume"));
    const { rate, parallelism } = stage.adjustable;
    if (rate !== undefined) found.push(button("Rate…", `Elements per second that ${stage.name} lets through:`, "rate", rate));
    if (parallelism !== undefined) found.push(button("Parallelism…", `Calls that ${stage.name} may have under way:`, "parallelism", parallelism));
    return found;
  };

  // details: site, policy, settings, figures, errors, history; stage: its line of the table.
  Page.showPanel = (panel, run, stage, details, mayAct, close) => {
    const buttons = mayAct && stage ? controls(run, stage) : [];
    const key = JSON.stringify([details, buttons.map((one) => one.textContent)]);
    if (panel.dataset.shown === key) return;
    panel.dataset.shown = key;
    const hadFocus = panel.contains(document.activeElement);
    const errors = details.errors.map((error) => Page.make("pre", {}, error));
    const closing = Page.make("button", { type: "button", onclick: close, "aria-label": "Close" }, "Close");
    const history = details.history.length > 1
      ? [Page.chart("Elements per second", [[1, "line", ""]], (number) => `${Page.compact(number)}/s`, details.history),
        Page.chart("Busy", [[2, "line", ""]], (share) => `${Math.round(share * 100)} %`, details.history, 1)]
      : [Page.make("p", { class: "hint" }, "Two points make a line: wait 5 seconds.")];
    panel.replaceChildren(
      Page.make("header", {}, Page.make("h2", { id: "panel-name" }, details.name), Page.make("span", { class: "space" }), closing),
      Page.make("div", { class: "controls" }, ...buttons),
      ...list("Stage", { kind: details.kind, "made at": details.site || "unknown", "on failure": details.policy }),
      ...list("Settings", details.settings), ...list("Figures", details.figures),
      Page.make("h3", {}, "Last errors"), ...(errors.length ? errors : [Page.make("p", { class: "hint" }, "None.")]),
      Page.make("h3", {}, "History"), ...history);
    if (panel.hidden || hadFocus) {
      panel.hidden = false;
      closing.focus();
    }
  };
})();
