// Search in the browser: the page loads the scripts of the index that it needs, each of which calls mootSearch with what it holds.
"use strict";
const mootSearch = (function () {
  const place = document.querySelector("[data-search]");
  const input = place.querySelector("input");
  const said = place.querySelector("[data-said]");
  const found = place.querySelector("[data-found]");
  const chunks = Number(place.dataset.chunks);
  const shelves = "abcdefghijklmnopqrstuvwxyz0123456789";
  const most = 100;
  const held = {};
  const waiting = {};

  // The one way by which a text becomes the address of a script, where the browser guards it: an address of the index, or none.
  const ours = /^search\/(documents-\d+|words-([a-z0-9]|other))\.js$/;
  const address = (text) => (ours.test(text) ? text : "");
  const guard = window.trustedTypes ? trustedTypes.createPolicy("moot-search", { createScriptURL: address }) : { createScriptURL: address };

  function take(kind, name, content) {
    held[name] = content;
    for (const go of waiting[name] || []) go();
    delete waiting[name];
  }
  function load(name) {
    if (name in held) return Promise.resolve();
    return new Promise((done) => {
      (waiting[name] = waiting[name] || []).push(done);
      if (waiting[name].length > 1) return;
      const script = document.createElement("script");
      script.src = guard.createScriptURL(`search/${name}.js`);
      script.addEventListener("error", () => take("", name, name.startsWith("words") ? {} : []));
      document.head.append(script);
    });
  }
  const fold = (text) => text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "");
  const wordsOf = (text) => fold(text).match(/[\p{L}\p{N}]+/gu) || [];
  const shelfOf = (word) => `words-${shelves.includes(word[0]) ? word[0] : "other"}`;

  function numbers(steps, into) {
    let at = 0;
    for (const step of steps) into.add((at += step));
  }
  function documentsOf(word, whole) {
    const shelf = held[shelfOf(word)];
    const into = new Set();
    if (whole) {
      if (Object.hasOwn(shelf, word)) numbers(shelf[word], into);
    } else {
      for (const each of Object.keys(shelf)) if (each.startsWith(word)) numbers(shelf[each], into);
    }
    return into;
  }
  function show(hits) {
    const every = Array.from({ length: chunks }, (_, number) => held[`documents-${number}`]).flat();
    found.replaceChildren(
      ...hits.slice(0, most).map((number) => {
        const [matter, contestant, title] = every[number];
        const item = document.createElement("li");
        const link = document.createElement("a");
        link.href = `matters/${encodeURIComponent(matter)}.html${contestant ? `#answer-${encodeURIComponent(contestant)}` : ""}`;
        link.textContent = `${matter} ${title}`;
        const what = document.createElement("span");
        what.className = "fine";
        what.textContent = contestant ? ` answer of ${contestant}` : " the matter";
        item.append(link, what);
        return item;
      })
    );
    said.textContent = `${hits.length} found${hits.length > most ? `, the first ${most} are shown` : ""}`;
  }
  async function search() {
    const asked = input.value;
    const words = wordsOf(asked);
    history.replaceState(null, "", asked ? `#${encodeURIComponent(asked)}` : "#");
    if (!words.length) {
      found.replaceChildren();
      said.textContent = "";
      return;
    }
    await Promise.all([...Array.from({ length: chunks }, (_, number) => load(`documents-${number}`)), ...words.map((word) => load(shelfOf(word)))]);
    if (input.value !== asked) return; // the reader has typed on
    const last = words.length - 1;
    const sets = words.map((word, number) => documentsOf(word, number < last));
    show([...sets[0]].filter((each) => sets.every((set) => set.has(each))).sort((a, b) => a - b));
  }
  place.hidden = false;
  document.querySelector("[data-unscripted]").hidden = true;
  input.addEventListener("input", search);
  try {
    input.value = decodeURIComponent(location.hash.slice(1));
  } catch (error) {
    input.value = "";
  }
  input.focus();
  queueMicrotask(search);
  return take;
})();
