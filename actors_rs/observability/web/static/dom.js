// Helpers that make elements. All texts become text nodes: nothing is ever parsed as HTML.
"use strict";
window.Page = {};
(() => {
  const SVG = "http://www.w3.org/2000/svg";

  const fill = (element, attributes, children) => {
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value === true) element.setAttribute(name, "");
      else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
    }
    element.append(...children.filter((one) => one !== null && one !== undefined));
    return element;
  };
  Page.make = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
  Page.svg = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
  Page.find = (id) => document.getElementById(id);

  // Change only what differs: focus, scroll positions and selections stay.
  Page.text = (node, text) => { if (node.textContent !== text) node.textContent = text; };
  Page.attribute = (node, name, value) => {
    const text = String(value);
    if (node.getAttribute(name) !== text) node.setAttribute(name, text);
  };

  Page.compact = (number) => {
    if (number === null || number === undefined) return "all";
    if (Math.abs(number) < 10 && !Number.isInteger(number)) return number.toFixed(1);
    if (number < 9999.5) return String(Math.round(number));
    let at = -1;
    while (number >= 999.5 && at < 5) { number /= 1000; at += 1; }
    return number.toFixed(number < 9.995 ? 2 : number < 99.95 ? 1 : 0) + "kMGTPE"[at];
  };
  Page.bytes = (number) => Page.compact(number).replace(/[kMGTPE]?$/, " $&B");
  Page.duration = (seconds) => {
    if (seconds < 60) return seconds.toFixed(1) + " s";
    const whole = Math.round(seconds), hours = Math.floor(whole / 3600);
    const rest = String(Math.floor((whole % 3600) / 60)).padStart(hours ? 2 : 1, "0");
    return (hours ? hours + ":" : "") + rest + ":" + String(whole % 60).padStart(2, "0");
  };
  Page.short = (seconds) => {
    if (seconds >= 1) return Page.duration(seconds);
    const [size, unit] = seconds >= 9.995e-4 ? [1e-3, "ms"] : [1e-6, "µs"], number = seconds / size;
    return number.toFixed(number < 9.95 ? 1 : 0) + " " + unit;
  };
  Page.clock = (at) => new Date(at * 1000).toLocaleTimeString([], { hour12: false });
  Page.moment = (at) => new Date(at * 1000).toLocaleString([], { hour12: false });
  Page.cut = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);
})();
