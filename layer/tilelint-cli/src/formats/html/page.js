"use strict";
const form = document.getElementById("filters");
const findings = [...document.querySelectorAll(".finding")];
const shown = document.getElementById("shown");
const wanted = (name) => form.elements.namedItem(name).value;

function apply() {
  const [rule, level, target, pass] = ["rule", "level", "target", "pass"].map(wanted);
  const text = wanted("text").trim().toLowerCase();
  let count = 0;
  for (const finding of findings) {
    const data = finding.dataset;
    const fits = (!rule || data.rule === rule) && (!level || data.level === level)
      && (!target || data.targets.split(" ").includes(target)) && (!pass || data.pass === pass)
      && (!text || finding.textContent.toLowerCase().includes(text));
    finding.hidden = !fits;
    count += fits ? 1 : 0;
  }
  for (const group of document.querySelectorAll(".group")) {
    group.hidden = !group.querySelector(".finding:not([hidden])");
  }
  shown.textContent = `${count} of ${findings.length} shown`;
}

form.addEventListener("input", apply);
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("reset", () => setTimeout(apply));
for (const node of document.querySelectorAll("svg .pass")) {
  // A pass of the graph shows its findings; the link alone leads to its row in the table.
  node.addEventListener("click", () => {
    if (node.dataset.findings !== "0") {
      form.elements.namedItem("pass").value = node.dataset.pass;
      apply();
    }
  });
}
document.addEventListener("keydown", (event) => {
  const typing = ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName);
  if (event.key === "/" && !typing) {
    event.preventDefault();
    form.elements.namedItem("text").focus();
  }
});
apply();
