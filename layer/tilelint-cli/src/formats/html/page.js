"use strict";
const root = document.documentElement;
document.getElementById("theme").addEventListener("click", () => {
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = root.dataset.theme ?? (isDark ? "dark" : "light");
  root.dataset.theme = now === "dark" ? "light" : "dark";
});

const form = document.getElementById("filters");
const findings = [...document.querySelectorAll(".finding")];
const groups = [...document.querySelectorAll(".group")];
// What a finding says never changes.
const texts = new Map(findings.map((finding) => [finding, finding.textContent.toLowerCase()]));
const field = (name) => form.elements.namedItem(name);

function apply() {
  const wanted = (name) => field(name).value;
  const [rule, level, target, pass] = ["rule", "level", "target", "pass"].map(wanted);
  const text = field("text").value.trim().toLowerCase();
  let count = 0;
  for (const finding of findings) {
    const data = finding.dataset;
    const fits = (!rule || data.rule === rule) && (!level || data.level === level)
      && (!target || data.targets.split(" ").includes(target)) && (!pass || data.pass === pass)
      && (!text || texts.get(finding).includes(text));
    finding.hidden = !fits;
    count += fits ? 1 : 0;
  }
  for (const group of groups) {
    group.hidden = !group.querySelector(".finding:not([hidden])");
  }
  document.getElementById("shown").textContent = `${count} of ${findings.length} shown`;
}

function step(by) {
  const visible = findings.filter((finding) => !finding.hidden);
  const at = visible.indexOf(document.activeElement?.closest(".finding"));
  const next = at < 0 ? (by > 0 ? 0 : visible.length - 1) : at + by;
  visible[next]?.focus();
  visible[next]?.scrollIntoView({ block: "nearest" });
}

if (form) {
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    for (const control of form.querySelectorAll("select, input")) {
      control.value = "";
    }
    apply();
  });
  apply();
  document.addEventListener("keydown", (event) => {
    const typing = ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName);
    if (event.key === "Escape" && typing) {
      event.target.blur();
    }
    if (typing || event.ctrlKey || event.altKey || event.metaKey) {
      return;
    }
    if (event.key === "/") {
      event.preventDefault();
      field("text").focus();
    } else if (event.key === "j" || event.key === "k") {
      step(event.key === "j" ? 1 : -1);
    }
  });
}

for (const node of document.querySelectorAll("svg .pass")) {
  // A pass of the graph shows its findings; the link alone leads to its row in the table.
  node.addEventListener("click", () => {
    if (form && node.dataset.findings !== "0") {
      field("pass").value = node.dataset.pass;
      apply();
    }
  });
  const svg = node.ownerSVGElement;
  const choose = (is) => {
    svg.classList.toggle("chosen", is);
    for (const edge of svg.querySelectorAll(".edge")) {
      const { from, to } = edge.dataset;
      edge.classList.toggle("near", is && [from, to].includes(node.dataset.index));
    }
  };
  for (const event of ["mouseenter", "focus"]) {
    node.addEventListener(event, () => choose(true));
  }
  for (const event of ["mouseleave", "blur"]) {
    node.addEventListener(event, () => choose(false));
  }
}
for (const link of document.querySelectorAll('a[href^="#rule-"]')) {
  link.addEventListener("click", () => {
    document.getElementById(link.hash.slice(1))?.setAttribute("open", "");
  });
}
