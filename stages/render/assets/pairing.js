// The ballot of a pairing. A vote counts as blind until the page was revealed; afterwards it can no longer be given.
"use strict";
(function () {
  const shown = document.querySelector("[data-presentation]");
  const ballot = document.querySelector(".ballot");
  const reveal = document.getElementById("reveal");
  const said = document.getElementById("ballot-said");
  const compared = document.getElementById("compared");
  const buttons = Array.from(ballot.querySelectorAll("[data-vote]"));
  const { presentation, page, verdict, matter } = shown.dataset;

  function mine() {
    return mootVotes.all()[presentation];
  }
  function show() {
    const vote = mine();
    for (const button of buttons) {
      button.setAttribute("aria-pressed", String(Boolean(vote) && vote.vote === button.dataset.vote));
      button.disabled = reveal.open && !(vote && vote.vote === button.dataset.vote);
    }
    if (!vote) {
      said.textContent = reveal.open ? "You have looked, so a vote would no longer be blind." : "Your vote stays in this browser.";
      compared.hidden = true;
      return;
    }
    said.textContent = `Your vote: ${mootVotes.words[vote.vote]}. It stays in this browser.`;
    const { n, same } = mootVotes.agreement();
    const here = !verdict || verdict === "unreadable" ? "There is no verdict to compare it with" : vote.vote === verdict ? "The judge agrees with you" : "The judge disagrees with you";
    compared.textContent = `You said ${mootVotes.words[vote.vote]}. ${here}; over all your votes it agrees with ${same} of ${n}.`;
    compared.hidden = false;
  }

  for (const button of buttons) {
    button.addEventListener("click", () => {
      if (reveal.open) return;
      const kept = mootVotes.cast(presentation, { page, matter, vote: button.dataset.vote, verdict });
      show();
      if (!kept) said.textContent += " This browser keeps nothing, so it will be gone with the page.";
    });
  }
  reveal.addEventListener("toggle", show);
  ballot.hidden = false;
  show();

  // The arrow keys turn the page, unless they have something to do where they are pressed.
  document.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
    const plain = !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    const busy = event.target.closest("input, select, textarea, [tabindex='0']");
    const link = way && plain && !busy ? document.querySelector(`a[rel="${way}"]`) : null;
    if (link) link.click();
  });
})();
