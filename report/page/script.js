"use strict";
(function () {
  const words = /(\/\/[^\n]*)|\b(__global__|__shared__|__device__|__restrict__|__launch_bounds__|extern|const|void|int|unsigned|float|double|bool|long|short|char|for|if|else|while|return|static|inline|struct|true|false|__half|__nv_bfloat16|__syncthreads|__shfl_xor_sync)\b/g;
  const escape = (t) => t.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  function colour(code) {
    if (code.dataset.done) return;
    code.dataset.done = "1";
    const text = code.textContent;
    let out = "", at = 0;
    for (const m of text.matchAll(words)) {
      out += escape(text.slice(at, m.index)) + '<span class="' + (m[1] ? "c" : "w") + '">' + escape(m[0]) + "</span>";
      at = m.index + m[0].length;
    }
    code.innerHTML = out + escape(text.slice(at));
  }
  document.addEventListener("toggle", (e) => {
    if (e.target.open && e.target.classList.contains("cuda")) e.target.querySelectorAll("code").forEach(colour);
  }, true);
  function open() {
    const card = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (card && card.tagName === "DETAILS") { card.hidden = false; card.open = true; card.scrollIntoView(); }
  }
  addEventListener("hashchange", open);
  open();
  document.addEventListener("click", (e) => {
    const link = e.target.closest && e.target.closest('a[href^="#k-"]');
    if (link && link.getAttribute("href") === location.hash) open();
  });
  const cards = Array.from(document.querySelectorAll(".card"));
  const find = document.getElementById("find");
  if (find) {
    find.closest(".find").hidden = false;
    const said = document.getElementById("found");
    let texts = null;
    const apply = () => {
      texts = texts || cards.map((c) => (c.textContent || "").toLowerCase());
      const want = find.value.trim().toLowerCase();
      let n = 0;
      cards.forEach((c, i) => { c.hidden = want !== "" && !texts[i].includes(want); n += c.hidden ? 0 : 1; });
      said.textContent = want === "" ? "" : n + " of " + cards.length + " kernels";
    };
    find.addEventListener("input", apply);
    document.getElementById("all").addEventListener("click", () => {
      const any = cards.some((c) => !c.hidden && !c.open);
      cards.forEach((c) => { if (!c.hidden) c.open = any; });
    });
  }
  addEventListener("beforeprint", () => cards.forEach((c) => { c.open = true; }));
})();
