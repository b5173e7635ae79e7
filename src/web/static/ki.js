// Comfort only: every page works without this file. It runs in <head>, so that the chosen theme is
// there before the first paint; the rest waits for the document.
(() => {
  "use strict";
  const root = document.documentElement;
  const searchFields = "#q, #site-q";
  const themes = ["system", "light", "dark"];
  const stored = () => {
    try {
      return localStorage.getItem("theme") || "system";
    } catch {
      return "system"; // storage may be forbidden
    }
  };
  const setTheme = (theme) => {
    if (theme === "system") delete root.dataset.theme;
    else root.dataset.theme = theme;
  };
  setTheme(stored());
  root.dataset.script = ""; // the style sheet keeps room for what is added below

  const make = (name, attributes, text) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const say = (text) => {
    const status = document.getElementById("status");
    if (status) status.textContent = text;
  };

  const themeSwitch = () => {
    const bar = document.querySelector(".bar");
    if (!bar) return;
    const button = make("button", { type: "button", class: "quiet", id: "theme" });
    const show = () => {
      button.textContent = "Theme: " + stored();
    };
    button.addEventListener("click", () => {
      const next = themes[(themes.indexOf(stored()) + 1) % themes.length];
      try {
        localStorage.setItem("theme", next);
      } catch {
        return;
      }
      setTheme(next);
      show();
      say("Theme: " + next);
    });
    show();
    bar.append(button);
  };

  const copyButtons = () => {
    if (!navigator.clipboard) return;
    for (const pre of document.querySelectorAll("pre.command, pre.copyable")) {
      const box = make("div", { class: "copy" });
      const button = make("button", { type: "button", class: "quiet" }, "Copy");
      button.addEventListener("click", async () => {
        try {
          await navigator.clipboard.writeText(pre.textContent);
        } catch {
          say("The browser does not allow copying");
          return;
        }
        button.textContent = "Copied";
        say("Copied");
        setTimeout(() => (button.textContent = "Copy"), 2000);
      });
      pre.replaceWith(box);
      box.append(pre, button);
    }
  };

  // An identifier is shown shortened; what is copied is the whole of it.
  const wholeIdentifiers = () => {
    document.addEventListener("copy", (event) => {
      const selection = getSelection();
      const node = selection && selection.anchorNode && selection.anchorNode.parentElement;
      const id = node && node.closest("code.id[title]");
      if (!id || selection.toString().trim() !== id.textContent.trim()) return;
      event.clipboardData.setData("text/plain", id.title);
      event.preventDefault();
    });
  };

  const relativeTimes = () => {
    const units = [["year", 31557600], ["month", 2629800], ["day", 86400], ["hour", 3600], ["minute", 60]];
    const format = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
    for (const time of document.querySelectorAll("time[datetime]")) {
      const seconds = (Date.parse(time.dateTime) - Date.now()) / 1000;
      if (!Number.isFinite(seconds)) continue;
      const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) || ["minute", 60];
      time.title = format.format(Math.round(seconds / size), unit) + " · " + time.dateTime;
    }
  };

  const slashFocuses = () => {
    document.addEventListener("keydown", (event) => {
      const typing = event.target instanceof Element && event.target.closest("input, textarea, select, [contenteditable]");
      if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
      const field = document.querySelector(searchFields);
      if (!field) return;
      event.preventDefault();
      field.focus();
      field.select();
    });
  };

  // A field above each long table that hides the rows without the words in it.
  const tableFilters = () => {
    document.querySelectorAll("table.filtered").forEach((table, index) => {
      const rows = [...table.tBodies].flatMap((body) => [...body.rows]);
      const id = "filter-" + index;
      const line = make("p", { class: "table-filter" });
      const field = make("input", { id, type: "search", autocomplete: "off" });
      line.append(make("label", { for: id }, "Filter these " + rows.length + " rows"), field);
      field.addEventListener("input", () => {
        const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
        let shown = 0;
        for (const row of rows) {
          const text = row.textContent.toLowerCase();
          row.hidden = !words.every((word) => text.includes(word));
          if (!row.hidden) shown += 1;
        }
        say(shown + " of " + rows.length + " rows");
      });
      table.before(line);
    });
  };

  // Operations by the words typed, as an ARIA combobox with a list.
  const suggestions = (field, number) => {
    const form = field.form;
    const id = "suggestions-" + number;
    const list = make("ul", { id, class: "suggestions", role: "listbox", "aria-label": "Operations" });
    list.hidden = true;
    field.after(list);
    field.type = "text"; // a combobox must not be of type search
    for (const [key, value] of Object.entries({
      role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": id,
    })) field.setAttribute(key, value);
    let active = -1;
    let asked = 0;
    let timer = 0;

    const close = () => {
      asked += 1; // an answer on its way comes too late
      clearTimeout(timer);
      list.hidden = true;
      active = -1;
      field.setAttribute("aria-expanded", "false");
      field.removeAttribute("aria-activedescendant");
    };
    const select = (index) => {
      const items = [...list.children];
      active = (index + items.length) % items.length;
      items.forEach((item, i) => item.setAttribute("aria-selected", String(i === active)));
      field.setAttribute("aria-activedescendant", items[active].id);
      items[active].scrollIntoView({ block: "nearest" });
    };
    const take = (item) => {
      const kept = field.value.split(/\s+/).filter((word) => word.includes(":") && !word.startsWith("op:"));
      field.value = ["op:" + item.dataset.slug, ...kept].join(" ");
      close();
      form.requestSubmit();
    };
    const show = (operations) => {
      list.replaceChildren(...operations.map((one, i) => {
        const item = make("li", { id: id + "-" + i, role: "option", "aria-selected": "false" }, one.name);
        item.dataset.slug = one.slug;
        item.append(make("span", { class: "meta" }, " " + one.family + " · " + one.runs + " runs"));
        item.addEventListener("mousedown", (event) => {
          event.preventDefault();
          take(item);
        });
        return item;
      }));
      active = -1;
      list.hidden = operations.length === 0;
      field.setAttribute("aria-expanded", String(!list.hidden));
      field.removeAttribute("aria-activedescendant");
      say(operations.length + " suggestions");
    };
    const ask = async () => {
      const mine = ++asked;
      const words = field.value.split(/\s+/).filter((word) => word && !word.includes(":")).join(" ");
      if (words.length < 2) return close();
      try {
        const answer = await fetch("/api/v1/operations?fields=slug,name,family,runs&q=" + encodeURIComponent(words));
        if (!answer.ok || mine !== asked) return;
        const { operations } = await answer.json();
        if (mine === asked && document.activeElement === field) show(operations.slice(0, 8));
      } catch {
        // Without an answer there are no suggestions.
      }
    };
    field.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(ask, 120);
    });
    field.addEventListener("blur", close);
    field.addEventListener("keydown", (event) => {
      if (event.isComposing) return;
      const count = list.hidden ? 0 : list.children.length;
      const moves = { ArrowDown: active + 1, ArrowUp: active < 0 ? count - 1 : active - 1, Home: 0, End: count - 1 };
      if (event.key === "ArrowDown" && count === 0) {
        event.preventDefault();
        ask();
      } else if (event.key in moves && count > 0 && (active >= 0 || event.key.startsWith("Arrow"))) {
        event.preventDefault();
        select(moves[event.key]);
      } else if (event.key === "Enter" && active >= 0 && count > 0) {
        event.preventDefault();
        take(list.children[active]);
      } else if (event.key === "Escape" && count > 0) {
        event.preventDefault();
        close();
      }
    });
  };

  document.addEventListener("DOMContentLoaded", () => {
    themeSwitch();
    copyButtons();
    wholeIdentifiers();
    relativeTimes();
    slashFocuses();
    tableFilters();
    document.querySelectorAll(searchFields).forEach(suggestions);
  });
})();
