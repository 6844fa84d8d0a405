// The operator index: a field and buttons that hide the rows which do not match.
document.addEventListener("DOMContentLoaded", () => {
  if (!location.pathname.endsWith("operators.html")) return;
  const article = document.querySelector("article");
  const rows = [...article.querySelectorAll("tbody tr")];
  const bar = document.createElement("p");
  const field = document.createElement("input");
  field.placeholder = "filter, for instance: debounce, timeout, dead letter";
  field.style.cssText = "width:24em;border:1px solid;padding:.3em;border-radius:.2em";
  let kind = "";
  const apply = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      const first = row.querySelector("em");
      const fits = !kind || (first && first.textContent === kind);
      row.hidden = !fits || !words.every((word) => text.includes(word));
    }
  };
  const button = (name) => {
    const made = document.createElement("button");
    made.textContent = name;
    made.className = "md-button";
    made.style.cssText = "padding:.1em .6em;margin-left:.4em";
    made.onclick = () => { kind = name === "all" ? "" : name; apply(); };
    return made;
  };
  field.addEventListener("input", apply);
  bar.append(field, ...["all", "elements", "time", "failure", "streams", "result"].map(button));
  article.querySelector("h1").after(bar);
});
