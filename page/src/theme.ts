// Light and dark: as the system says, until the reader says otherwise.

import { button } from "./dom";

export function themeSwitch(changed: () => void): HTMLElement {
  const root = document.documentElement;
  const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
  const isDark = () =>
    root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches;
  const update = () => {
    element.textContent = isDark() ? "Light colours" : "Dark colours";
    changed();
  };
  const element = button(
    "",
    () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      update();
    },
    { id: "theme", class: "theme" },
  );
  prefersDark.addEventListener("change", update);
  element.textContent = isDark() ? "Light colours" : "Dark colours";
  return element;
}
