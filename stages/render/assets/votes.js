// All votes of this browser on this record: how often the judge agrees, each vote, and a CSV file of them.
"use strict";
(function () {
  const order = ["A", "B", "tie", "both_inadequate"];
  const place = document.querySelector("[data-votes]");
  const find = (name) => place.querySelector(`[data-${name}]`);

  function cell(kind, content, number) {
    const made = document.createElement(kind);
    made.append(content);
    if (number) made.className = "number";
    if (kind === "th") made.scope = "row";
    return made;
  }
  function line(cells) {
    const row = document.createElement("tr");
    row.append(...cells);
    return row;
  }
  function linked(page, name) {
    const link = document.createElement("a");
    // Storage is anybody's to write: only a page of this site is linked.
    if (/^pairings\/[A-Z0-9a-f-]+\.html$/.test(page)) link.href = page;
    link.append(name);
    return link;
  }
  function show() {
    const votes = mootVotes.listed();
    const { n, same } = mootVotes.agreement();
    find("agreement").textContent = votes.length
      ? `You voted on ${votes.length} ${votes.length === 1 ? "pairing" : "pairings"}. The judge agrees with you on ${same} of ${n}${n ? ` (${((100 * same) / n).toFixed(1)} %)` : ""}.`
      : "You have not voted yet.";
    find("confusion").replaceChildren(
      ...order.map((mine) => {
        const counts = order.map((its) => votes.filter(([, each]) => each.vote === mine && each.verdict === its).length);
        return line([cell("th", `You: ${mootVotes.words[mine]}`), ...counts.map((count) => cell("td", String(count), true))]);
      })
    );
    find("rows").replaceChildren(
      ...votes.map(([, each]) => {
        const name = String(each.page).replace(/^pairings\/|\.html$/g, "");
        return line([cell("th", linked(String(each.page), name)), cell("td", mootVotes.words[each.vote] || ""), cell("td", mootVotes.words[each.verdict] || "")]);
      })
    );
    for (const each of place.querySelectorAll("[data-table]")) each.hidden = votes.length === 0;
    find("export").disabled = find("clear").disabled = votes.length === 0;
  }
  function quoted(value) {
    const text = String(value);
    // A spreadsheet runs what begins like a formula: an apostrophe makes text of it.
    return `"${(/^[=+\-@\t\r]/.test(text) ? "'" : "") + text.replace(/"/g, '""')}"`;
  }
  function csv() {
    const rows = mootVotes.listed().map(([presentation, each]) => [presentation, each.matter, each.vote, each.verdict, document.body.dataset.record]);
    return [["presentation_id", "matter_id", "vote", "verdict", "record"], ...rows].map((row) => row.map(quoted).join(",") + "\r\n").join("");
  }
  find("export").addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([csv()], { type: "text/csv;charset=utf-8" }));
    link.download = "moot-votes.csv";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 0);
  });
  find("clear").addEventListener("click", () => {
    mootVotes.clear();
    show();
  });
  place.hidden = false;
  document.querySelector("[data-unscripted]").hidden = true;
  show();
})();
