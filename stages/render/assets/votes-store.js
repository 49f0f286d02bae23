// The reader's votes, in this browser's own storage under the record's digest: another record has other votes. Nothing is sent.
"use strict";
const mootVotes = (function () {
  const key = `moot votes ${document.body.dataset.record}`;
  const words = { A: "A", B: "B", tie: "tie", both_inadequate: "both inadequate", unreadable: "unreadable", "": "none" };
  let lost = {}; // where storage is denied, votes last as long as the page

  function all() {
    try {
      const held = JSON.parse(localStorage.getItem(key) || "{}");
      return held && typeof held === "object" ? held : {};
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
  function cast(pairing, vote) {
    return keep({ ...all(), [pairing]: vote });
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
  return { all, cast, clear, agreement, words };
})();
