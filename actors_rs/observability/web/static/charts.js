// Charts of the last 15 minutes, and Spark's partitions as a grid on a canvas.
"use strict";
(() => {
  const WIDTH = 300, HEIGHT = 100;
  const perSecond = (number) => `${Page.compact(number)}/s`;
  const SERIES = [
    ["Elements per second", [[1, "line", "out of sources "], [2, "line second", "into sinks "]], perSecond],
    ["Open demand", [[3, "line", ""]], (number) => `${Page.compact(number)} elements`],
    ["Memory of the process", [[4, "line", ""]], Page.bytes],
  ];
  const STATES = { w: ["--idle", "waiting"], r: ["--accent", "running"], t: ["--warn", "tried again"], d: ["--busy-edge", "done"], e: ["--busy", "done by an earlier start"], p: ["--failed-edge", "poison"] };

  const path = (points, column, from, span, most) => points.map((p, at) => {
    const x = ((p[0] - from) / span) * WIDTH, y = HEIGHT - 4 - (p[column] / most) * (HEIGHT - 10);
    return `${at ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`;
  }).join("");

  // columns: the place in a point, the class of its line, and the words before its newest value.
  // top: the value at the upper edge, by default the largest of all.
  Page.chart = (title, columns, text, points, top = null) => {
    const [lines, scale] = [[], []], several = columns.length > 1;
    if (points.length) {
      const from = points[0][0], span = Math.max(1, points[points.length - 1][0] - from);
      const most = Math.max(1e-9, ...points.flatMap((p) => columns.map(([c]) => p[c]))), height = top || most;
      for (const [column, kind] of columns) lines.push(Page.svg("path", { class: kind, d: path(points, column, from, span, height) }));
      scale.push(`${Page.duration(span)} ago`, `at most ${text(most)}`, "now");
    }
    const axis = Page.svg("line", { class: "axis", x1: 0, x2: WIDTH, y1: HEIGHT - 4, y2: HEIGHT - 4 });
    const newest = points[points.length - 1];
    const now = newest ? columns.map(([column, kind, words]) => [kind, words + text(newest[column])]) : [];
    const key = (kind) => (several ? "key " + kind : "");
    return Page.make("div", { class: "chart" },
      Page.make("h3", {}, title + " ", ...now.map(([kind, words], at) =>
        Page.make("span", { class: "now" }, at ? ", " : "", Page.make("span", { class: key(kind) }, words)))),
      Page.svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img",
        "aria-label": `${title}: ${now.map(([, words]) => words).join(", ")}` }, axis, ...lines),
      Page.make("div", { class: "scale" }, ...scale.map((words) => Page.make("span", {}, words))));
  };

  Page.showCharts = (host, points) =>
    host.replaceChildren(...SERIES.map(([title, columns, text]) => Page.chart(title, columns, text, points)));

  const attempts = (number) => (number > 8 ? "9 or more" : number) + " attempts";

  const MOST_NAMED = 30;
  const triedAgain = (stage) => {
    const groups = {};
    [...(stage.attempts || "")].forEach((digit, at) => { if (digit > "1") (groups[digit] = groups[digit] || []).push(at); });
    const parts = Object.entries(groups).reverse().map(([digit, found]) => {
      const more = found.length > MOST_NAMED ? ` and ${found.length - MOST_NAMED} more` : "";
      return `${attempts(Number(digit))}: ${found.slice(0, MOST_NAMED).join(", ")}${more}`;
    });
    return parts.length ? [Page.make("p", { class: "hint" }, `Partitions with ${parts.join("; ")}`)] : [];
  };

  const ledger = (stage) => {
    if (!stage.ledger || !stage.ledger.length) return [];
    const table = Page.make("table", { class: "ledger" });
    Page.showLedger(table, stage.ledger);
    return [Page.make("h3", {}, `Starts in the ledger of ${stage.name}`),
      Page.make("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Starts in the ledger" }, table)];
  };

  const grid = (stage, width) => {
    const all = stage.partitions, size = all.length > 2500 ? (width < 500 ? 4 : 6) : all.length > 400 ? 9 : 14;
    const across = Math.max(1, Math.floor(width / size)), down = Math.ceil(all.length / across);
    const canvas = Page.make("canvas", { width: across * size, height: down * size, role: "img" });
    const [context, style, counts] = [canvas.getContext("2d"), getComputedStyle(document.documentElement), {}];
    const colours = Object.fromEntries(Object.entries(STATES).map(([key, [name]]) => [key, style.getPropertyValue(name)]));
    for (let at = 0; at < all.length; at += 1) {
      counts[all[at]] = (counts[all[at]] || 0) + 1;
      context.fillStyle = colours[all[at]];
      context.fillRect((at % across) * size, Math.floor(at / across) * size, size - 1, size - 1);
    }
    const words = Object.entries(STATES).filter(([key]) => counts[key]).map(([key, [, name]]) => `${counts[key]} ${name}`);
    canvas.setAttribute("aria-label", words.join(", "));
    canvas.addEventListener("mousemove", (event) => {
      const number = Math.floor(event.offsetY / size) * across + Math.floor(event.offsetX / size);
      const tried = Number(stage.attempts && stage.attempts[number]);
      const often = tried > 1 ? `, ${attempts(tried)}` : "";
      canvas.title = all[number] ? `partition ${number}: ${STATES[all[number]][1]}${often}` : "";
    });
    return [Page.make("h3", {}, `${stage.name}: ${words.join(", ")}`), canvas, ...triedAgain(stage), ...ledger(stage)];
  };

  let before = "";
  Page.showPartitions = (section, host, run) => {
    const stages = run.stages.filter((stage) => stage.partitions);
    section.hidden = !stages.length;
    const width = Math.max(200, host.clientWidth), dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const now = JSON.stringify([stages.map((s) => [s.name, s.partitions, s.attempts]), width, dark]);
    if (now === before) return;
    before = now;
    host.replaceChildren(...stages.flatMap((stage) => grid(stage, width)));
  };
})();
