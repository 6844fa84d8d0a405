// Puts it together: takes states from the server, or the one written into a saved report.
"use strict";
(() => {
  const known = {}, find = Page.find;
  const saved = find("report") ? JSON.parse(find("report").textContent) : null;
  const SYSTEM_ENDS = { draining: "the system drains", "shut down": "the system has shut down" };
  let source = null, opened = null, back = null, failures = 0;

  const close = () => {
    opened = null;
    find("panel").hidden = true;
    delete find("panel").dataset.shown;
    if (back && back.isConnected) back.focus();
  };

  const open = (name) => {
    back = document.activeElement;
    opened = name;
    delete find("panel").dataset.shown;
    refreshPanel();
  };

  const refreshPanel = async () => {
    const name = opened, stage = known.run.stages.find((one) => one.name === name);
    if (name === null) return;
    let details = saved ? saved.stages && saved.stages[name] : null;
    if (!saved) {
      try {
        const answer = await fetch(`api/runs/${known.shown}/stage?name=${encodeURIComponent(name)}`);
        if (answer.ok) details = await answer.json();
      } catch { return; }
    }
    if (opened !== name) return;
    details = details || { name, kind: stage ? stage.kind : "", site: "", policy: "", settings: {}, figures: {}, errors: [], history: [] };
    Page.showPanel(find("panel"), known.shown, stage, details, !saved && !known.read_only, close);
  };

  const showRuns = () => {
    const select = find("runs");
    const key = JSON.stringify(known.runs.map((one) => [one.id, one.name, one.state]));
    if (select.dataset.shown !== key) {
      select.dataset.shown = key;
      select.replaceChildren(...known.runs.map((one) =>
        Page.make("option", { value: one.id }, `${Page.cut(one.name, 40)} #${one.id}: ${one.state}`)));
    }
    select.value = String(known.shown);
  };

  const showButtons = () => {
    const host = find("buttons"), going = !saved && !known.read_only && ["running", "draining"].includes(known.run.state);
    const key = JSON.stringify([going, known.shown, known.run.state]);
    if (host.dataset.shown === key) return;
    host.dataset.shown = key;
    const run = known.shown, made = [];
    const button = (id, title, question, kind) => Page.make("button", { type: "button", id, class: kind,
      onclick: () => Page.ask(question, null, () => Page.press(run, id, {})) }, title);
    if (going) {
      if (known.run.state === "running") made.push(button("drain", "Drain", "Stop the sources, deliver the elements in flight, and end the run?", ""));
      made.push(button("cancel", "Cancel", "Cancel the run now? The elements in flight are dropped.", "danger"));
    }
    if (!saved) made.push(Page.make("a", { href: `api/runs/${run}/report.html`, download: "" }, "Save as HTML"));
    host.replaceChildren(...made);
  };

  const showSentence = (text) => {
    const parts = text.split("`"), host = find("sentence");
    if (host.dataset.shown === text) return;
    host.dataset.shown = text;
    host.replaceChildren(...(parts.length < 3 ? [text]
      : [parts[0], Page.make("code", {}, parts.slice(1, -1).join("`")), parts[parts.length - 1]]));
  };

  const showProgress = (progress) => {
    const host = find("progress");
    host.hidden = !progress;
    if (!progress) return;
    const share = progress.total ? Math.min(1, progress.done / progress.total) : 1; // a total that the user says may be wrong
    host.firstElementChild.value = share;
    const left = progress.left === null ? "" : `, about ${Page.duration(progress.left)} left`;
    const good = progress.done - progress.given_up;
    const lost = progress.given_up ? `: ${Page.compact(good)} done, ${Page.compact(progress.given_up)} given up` : "";
    Page.text(host.lastElementChild, `${Math.floor(share * 100)} %: ${Page.compact(progress.done)} of ${Page.compact(progress.total)} ${progress.unit}${lost}${left}`);
  };

  // A drawing a little wider than its place is made to fit; a much wider one would be unreadable.
  const READABLE = 0.6;
  let chosen = null;
  const fit = () => {
    const wide = known.layout.width / Math.max(1, find("graph").clientWidth);
    const fits = chosen === null ? wide > 1 && wide * READABLE <= 1 : chosen;
    find("graph").classList.toggle("fit", fits);
    Page.attribute(find("fit"), "aria-pressed", String(fits));
  };

  const showRun = () => {
    const run = known.run;
    document.title = `${run.name}: ${run.state}`;
    Page.text(find("state"), run.state);
    Page.attribute(find("state"), "class", "badge " + run.state);
    Page.text(find("seconds"), Page.duration(run.seconds));
    showSentence(run.sentence);
    showProgress(run.progress);
    Page.showGraph(find("graph"), run, known.layout, open);
    fit();
    Page.showStages(find("stages"), run, open);
    Page.showPartitions(find("partitions"), find("grids"), run);
    find("omitted").hidden = !run.omitted;
    Page.text(find("omitted"), `${run.omitted} more stages of inner streams are not shown.`);
    showButtons();
    refreshPanel();
  };

  const show = (news) => {
    const began = performance.now();
    Object.assign(known, news);
    if (news.points) known.points = news.points;
    else if (news.point && known.points) known.points = [...known.points, news.point].slice(-900);
    if (news.runs || news.shown) showRuns();
    if (known.run && (news.run || news.layout)) showRun();
    if (known.points && (news.points || news.point)) Page.showCharts(find("charts"), known.points);
    if (news.tree) Page.showTree(find("tree"), news.tree);
    if (news.log) Page.showLog(find("log"), news.log);
    if (news.letters) showLetters();
    Page.refreshes = (Page.refreshes || 0) + 1;
    Page.lastRefresh = performance.now() - began; // milliseconds, for tests
    if (!known.run) showSentence("No run has begun yet. This page shows the first one when it does.");
  };

  Page.show = show; // for tests

  const showLetters = () => {
    Page.text(find("letters-total"), `(${known.letters.total.toLocaleString()})`);
    Page.showLetters(find("letters"), known.letters, find("filter").value);
  };

  // A system that drains or has shut down ends each answer; the browser asks again after its `retry`.
  const showConnection = (now) => {
    failures = now;
    const end = failures < 2 && known.system && SYSTEM_ENDS[known.system.state];
    Page.text(find("connection"), end || "not connected");
    find("connection").hidden = !end && !failures;
  };

  const listen = (run) => {
    if (source) source.close();
    close();
    source = new EventSource("events" + (run ? `?run=${run}` : ""));
    source.onmessage = (event) => {
      show(JSON.parse(event.data));
      showConnection(0);
    };
    source.onerror = () => showConnection(failures + 1);
  };

  find("runs").addEventListener("change", (event) => listen(event.target.value));
  find("filter").addEventListener("input", () => known.letters && showLetters());
  find("fit").addEventListener("click", () => {
    chosen = !find("graph").classList.contains("fit");
    fit();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && opened !== null && !find("ask").open) close();
  });
  window.addEventListener("resize", () => {
    if (!known.run) return;
    fit();
    Page.showPartitions(find("partitions"), find("grids"), known.run);
  });
  if (saved) show({ ...saved, runs: [{ id: 1, name: saved.run.name, state: saved.run.state }], shown: 1 });
  else listen("");
})();
