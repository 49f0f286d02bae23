// The list of matters: filters and sorting. Without it the list is whole and in the order of the ids.
"use strict";
(function () {
  const form = document.querySelector("[data-filters]");
  const table = document.querySelector("[data-list]");
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const said = form.querySelector("[data-left]");
  const words = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));

  function shows(row) {
    const text = form.elements.text.value.trim().toLowerCase();
    if (text && !words.get(row).includes(text)) return false;
    return Array.from(form.querySelectorAll("select")).every((select) => {
      const held = row.dataset[select.name];
      const many = select.name === "outcome" || select.name === "flag";
      return !select.value || (many ? held.split(" ").includes(select.value) : held === select.value);
    });
  }

  function filter() {
    let left = 0;
    for (const row of rows) {
      row.hidden = !shows(row);
      left += row.hidden ? 0 : 1;
    }
    said.textContent = left === rows.length ? "" : `${left} of ${rows.length} shown`;
  }

  function sort(head, place) {
    const up = head.getAttribute("aria-sort") !== "ascending";
    for (const each of head.parentNode.cells) each.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const numbers = head.dataset.sort === "number";
    const value = (row) => row.cells[place].textContent.trim();
    const order = numbers ? (a, b) => Number(value(a)) - Number(value(b)) : (a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0);
    rows.sort((a, b) => (up ? order(a, b) : order(b, a)));
    body.append(...rows);
  }

  Array.from(table.tHead.rows[0].cells).forEach((head, place) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(head, place));
    head.append(button);
  });
  form.hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  filter(); // the browser may have kept what was chosen before
})();
