// Tables: the stages (sortable), actors, dead letters and the log.
"use strict";
(() => {
  const BAD = new Set(["failed", "retried", "fallbacks", "resumed", "restarted", "dropped", "dead"]);
  const COLUMNS = [
    ["name", "stage"], ["in", "in"], ["out", "out"], ["rate", "now/s"], ["average", "average/s"],
    ["calls", "calls"], ["p50", "p50"], ["p99", "p99"], ["busy", "busy"], ["held", "held back"], ["buffered", "window"],
    ["failed", "failed"], ["resumed", "resumed"], ["retried", "retried"], ["fallbacks", "fallbacks"],
    ["restarted", "restarted"], ["dropped", "dropped"], ["dead", "dead letters"],
  ];
  const HINTS = {
    p50: "half of the calls, or turns, took at most so long", p99: "99 of 100 calls, or turns, took at most so long",
    busy: "in functions, or calls under way over parallelism", held: "downstream asks for nothing",
    buffered: "elements that wait, and the most that are asked for", calls: "calls under way, and the most at a time",
  };
  let order = { column: null, down: true };
  let rows = [], head = null, names = "";

  const value = (stage, column) => {
    const found = stage[column];
    switch (column) {
      case "calls": return found === null ? "" : `${found}/${stage.parallelism}`;
      case "p50": case "p99": return found === null ? "" : Page.short(found);
      case "busy": case "held": return Math.round(found * 100) + " %";
      case "buffered": return stage.window ? `${Page.compact(found)}/${Page.compact(stage.window)}` : "";
      case "rate": case "average": return Page.compact(found);
      case "in": return found || stage.window ? Page.compact(found) : "";
      case "out": return Page.compact(found);
      default: return found ? Page.compact(found) : "";
    }
  };

  const sorted = (stages) => {
    if (order.column === null) return stages;
    const sign = order.down ? -1 : 1;
    const key = (stage) => stage[order.column] ?? -1;
    return [...stages].sort((a, b) => {
      const [x, y] = [key(a), key(b)];
      return sign * (typeof x === "string" ? x.localeCompare(y) : x - y);
    });
  };

  const makeHead = (again) => {
    const cells = COLUMNS.map(([column, title]) => {
      const sort = () => {
        if (order.column !== column) order = { column, down: column !== "name" };
        else if (order.down === (column !== "name")) order.down = !order.down;
        else order = { column: null, down: true };
        again();
      };
      const button = Page.make("button", { type: "button", title: HINTS[column], onclick: sort }, title);
      return Page.make("th", { scope: "col", class: column === "name" ? "text" : "" }, button);
    });
    return Page.make("thead", {}, Page.make("tr", {}, ...cells));
  };

  const makeRow = (open) => {
    const row = { shown: "" };
    row.dot = Page.make("span", { class: "dot" });
    row.name = Page.make("button", { type: "button", onclick: () => open(row.stage) });
    row.cells = COLUMNS.slice(1).map(() => Page.make("td"));
    row.node = Page.make("tr", {}, Page.make("td", { class: "text" }, row.dot, row.name), ...row.cells);
    return row;
  };

  Page.showStages = (table, run, open) => {
    const again = () => Page.showStages(table, run, open);
    Page.sortAgain = again;
    if (head === null) {
      head = makeHead(() => Page.sortAgain());
      table.replaceChildren(head, Page.make("tbody"));
    }
    while (rows.length < run.stages.length) {
      rows.push(makeRow(open));
      table.tBodies[0].append(rows[rows.length - 1].node);
    }
    for (const extra of rows.splice(run.stages.length)) extra.node.remove();
    sorted(run.stages).forEach((stage, at) => {
      const row = rows[at];
      row.stage = stage.name;
      Page.text(row.name, stage.name);
      Page.attribute(row.name, "title", stage.name);
      Page.attribute(row.dot, "class", "dot " + stage.load);
      Page.attribute(row.node, "class", stage.name === run.bottleneck ? "bottleneck" : "");
      COLUMNS.slice(1).forEach(([column], number) => {
        const text = value(stage, column);
        Page.text(row.cells[number], text);
        Page.attribute(row.cells[number], "class", text && BAD.has(column) ? "bad" : "");
      });
    });
    COLUMNS.forEach(([column], at) => {
      const state = order.column !== column ? "none" : order.down ? "descending" : "ascending";
      Page.attribute(head.rows[0].cells[at], "aria-sort", state);
      const arrow = { none: "", descending: " ▾", ascending: " ▴" }[state];
      Page.text(head.rows[0].cells[at].firstChild, COLUMNS[at][1] + arrow);
    });
  };

  const simple = (table, titles, lines, empty) => {
    const heads = titles.map(([title, kind]) => Page.make("th", { class: kind, scope: "col" }, title));
    const body = lines.map((line) => Page.make("tr", {}, ...line.map((cell, at) =>
      Page.make("td", { class: titles[at][1] }, cell))));
    if (!lines.length) body.push(Page.make("tr", {}, Page.make("td", { class: "text", colspan: titles.length }, empty)));
    table.replaceChildren(Page.make("thead", {}, Page.make("tr", {}, ...heads)), Page.make("tbody", {}, ...body));
  };

  Page.showLedger = (table, starts) => simple(
    table,
    [["run", ""], ["start", ""], ["state", "text"], ["began", "text"], ["end", "text"], ["committed", ""],
      ["done before", ""], ["rows", ""], ["error", "text wrap"]],
    [...starts].reverse().map((one) => [String(one.run), String(one.start), one.state, Page.moment(one.started),
      one.ended === null ? "" : Page.moment(one.ended), `${one.committed}/${one.partitions}`, String(one.done),
      Page.compact(one.rows), one.error || ""]),
    "");

  Page.showTree = (table, tree) => simple(
    table,
    [["actor", "text"], ["state", "text"], ["strategy", "text"], ["mailbox", ""], ["restarts", ""]],
    tree.map((one) => ["\u00a0\u00a0\u00a0\u00a0".repeat(one.depth) + (one.depth ? "└ " : "") + one.name,
      one.state, one.strategy, String(one.mailbox), String(one.restarts)]),
    "This system has no actors beside its stages.");

  Page.showLetters = (table, letters, filter) => {
    const wanted = filter.toLowerCase();
    const fits = (one) => [one.where, one.why, one.what, one.error].join("\n").toLowerCase().includes(wanted);
    simple(
      table,
      [["time", "text"], ["where", "text wrap"], ["why", "text wrap"], ["what", "text wrap"], ["error", "text wrap"]],
      letters.letters.filter(fits).map((one) => [Page.clock(one.at), one.where, one.why, one.what, one.error]),
      letters.total ? "No dead letter fits the filter." : "There are no dead letters.");
  };

  Page.showLog = (table, log) => simple(
    table,
    [["time", "text"], ["event", "text"], ["stage", "text wrap"], ["", "text wrap"]],
    [...log].reverse().map((one) => [Page.clock(one.at), one.event, one.stage, one.text]),
    "Nothing has happened yet.");
})();
