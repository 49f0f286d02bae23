// The reader's votes by presentation, in this browser's own storage under the record's digest: another record has other votes. Nothing is
// sent, and no name of a contestant stands in them: they are listed and exported while other pairings are still to be read blind.
"use strict";
const mootVotes = (function () {
  const key = `moot votes ${document.body.dataset.record}`;
  const words = { A: "A", B: "B", tie: "tie", both_inadequate: "both inadequate", unreadable: "unreadable", "": "none" };
  let lost = {}; // where storage is denied, votes last as long as the page

  function all() {
    try {
      const held = JSON.parse(localStorage.getItem(key) || "{}");
      return Object.fromEntries(Object.entries(held).filter(([, each]) => each && typeof each === "object")); // anybody may have written there
    } catch (error) {
      return lost;
    }
  }
  function keep(votes) {
    lost = votes;
    try {
      localStorage.setItem(key, JSON.stringify(votes));
      return true;
    } catch (error) {
      return false;
    }
  }
  function cast(presentation, vote) {
    return keep({ ...all(), [presentation]: vote });
  }
  // Each as [presentation, vote], in the order of the pages, which tells nothing of names.
  function listed() {
    const place = ([presentation, each]) => `${each.page} ${presentation}`;
    return Object.entries(all()).sort((one, two) => (place(one) < place(two) ? -1 : 1));
  }
  function clear() {
    lost = {};
    try {
      localStorage.removeItem(key);
    } catch (error) {
      return;
    }
  }
  // Votes on pairings that the judge gave a readable verdict on, and how many agree with it.
  function agreement() {
    const scored = Object.values(all()).filter((each) => each.verdict && each.verdict !== "unreadable");
    return { n: scored.length, same: scored.filter((each) => each.vote === each.verdict).length };
  }
  return { all, listed, cast, clear, agreement, words };
})();
