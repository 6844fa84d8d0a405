// The drawing. The server says where stages stand; a refresh changes figures and colours only.
"use strict";
(() => {
  const WIDTH = 176, HEIGHT = 66, INNER = 26;
  let drawn = null, boxes = [], links = [], shape = "";

  const curve = (from, to, loop) => {
    const [x1, y1, x2, y2] = [from.x + from.width, from.y + from.height / 2, to.x, to.y + to.height / 2];
    if (loop) {
      const low = Math.max(from.y + from.height, to.y + to.height) + 22;
      return `M${x1} ${y1}C${x1 + 40} ${low} ${x2 - 40} ${low} ${x2} ${y2}`;
    }
    const half = Math.max(24, (x2 - x1) / 2);
    return `M${x1} ${y1}C${x1 + half} ${y1} ${x2 - half} ${y2} ${x2} ${y2}`;
  };

  const makeBox = (stage, place, inner, open) => {
    const width = inner ? WIDTH - 20 : WIDTH, height = inner ? INNER : HEIGHT;
    const box = { x: place[0], y: place[1], width, height, inner };
    const text = (name, y, kind) => {
      box[name] = Page.svg("text", { x: 8, y, class: kind });
      return box[name];
    };
    const parts = [Page.svg("rect", { class: "body", width, height, rx: 6 }), text("name", inner ? 17 : 19, "name")];
    if (!inner) {
      parts.push(text("rate", 36, "small"), text("more", 50, "small"));
      parts.push(Page.svg("rect", { class: "back", x: 8, y: 56, width: width - 16, height: 4, rx: 2 }));
      box.fill = Page.svg("rect", { class: "fill", x: 8, y: 56, width: 0, height: 4, rx: 2 });
      parts.push(box.fill);
    }
    box.title = Page.svg("title");
    const act = (event) => {
      if (event.type === "click" || event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        open(stage.name);
      }
    };
    const place_ = `translate(${place[0]} ${place[1]})`;
    box.node = Page.svg("g", { tabindex: 0, role: "button", transform: place_, onclick: act, onkeydown: act }, box.title, ...parts);
    return box;
  };

  const build = (host, run, layout, open) => {
    boxes = run.stages.map((stage, at) =>
      layout.places[at] ? makeBox(stage, layout.places[at], layout.inner[at], open) : null);
    links = run.links.map((link) => {
      const [from, to] = [boxes[link.from], boxes[link.to]];
      if (!from || !to || from.inner || to.inner) return null;
      const loop = to.x <= from.x;
      const path = Page.svg("path", { class: loop ? "link loop" : "link", d: curve(from, to, loop) });
      const middle = { x: (from.x + WIDTH + to.x) / 2, y: (from.y + to.y + HEIGHT) / 2 - 7 };
      const label = Page.svg("text", { class: "label", ...middle });
      return { path, label, title: path.appendChild(Page.svg("title")) };
    });
    const frames = layout.frames.flatMap((frame) => {
      const { x, y, width, height } = frame;
      const more = frame.hidden ? `+ ${frame.hidden} more` : "";
      return [
        Page.svg("rect", { class: "frame " + frame.kind, x, y, width, height, rx: 8 }),
        more ? Page.svg("text", { class: "label", x: x + width / 2, y: y + height + 12 }, more) : null,
      ];
    });
    const size = { width: layout.width, height: layout.height + 14 };
    drawn = Page.svg("svg", { ...size, viewBox: `0 0 ${size.width} ${size.height}` },
      ...frames, ...links.flatMap((link) => (link ? [link.path, link.label] : [])),
      ...boxes.map((box) => box && box.node));
    host.replaceChildren(drawn);
  };

  const showBox = (box, stage, bottleneck) => {
    const mark = stage.name === bottleneck;
    Page.attribute(box.node, "class", `box ${stage.load}${mark ? " bottleneck" : ""}`);
    Page.text(box.name, Page.cut(stage.name, box.inner ? 22 : 25));
    const load = `busy ${Math.round(stage.busy * 100)} %, held back ${Math.round(stage.held * 100)} %`;
    const state = stage.paused ? "paused" : stage.state === "running" ? load : stage.state;
    Page.text(box.title, `${stage.name} (${stage.kind}): ${state}${mark ? "; the bottleneck" : ""}`);
    Page.attribute(box.node, "aria-label", box.title.textContent);
    if (box.inner) return;
    const calls = stage.calls === null ? "" : `, ${stage.calls} of ${stage.parallelism} calls`;
    Page.text(box.rate, `${Page.compact(stage.rate)}/s${calls}`);
    Page.text(box.more, mark ? "bottleneck, " + Math.round(stage.busy * 100) + " % busy" : state);
    Page.attribute(box.more, "class", mark ? "mark" : "small");
    const share = stage.window ? Math.min(1, stage.buffered / stage.window) : 0;
    Page.attribute(box.fill, "width", ((WIDTH - 16) * share).toFixed(1));
  };

  // The name of a stage stays with its place, so the drawing is made again when either changes.
  Page.showGraph = (host, run, layout, open) => {
    const now = JSON.stringify([run.stages.map((s) => s.name), run.links.map((l) => [l.from, l.to]), layout]);
    if (now !== shape) {
      shape = now;
      build(host, run, layout, open);
    }
    const most = Math.max(1, ...run.links.map((link) => link.rate));
    run.stages.forEach((stage, at) => boxes[at] && showBox(boxes[at], stage, run.bottleneck));
    run.links.forEach((link, at) => {
      if (!links[at]) return;
      const thick = 1.2 + 7 * Math.sqrt(link.rate / most);
      Page.attribute(links[at].path, "stroke-width", thick.toFixed(1));
      Page.text(links[at].label, link.rate ? `${Page.compact(link.rate)}/s` : link.outlet);
      const fill = link.window ? `, ${Page.compact(link.buffered)} of ${Page.compact(link.window)} wait` : "";
      Page.text(links[at].title, `${link.outlet} ${link.elements.toLocaleString()} elements${fill}`);
    });
  };
})();
