// What the pages of browser.mjs and serve.mjs have in common.
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

// measure runs in a page and returns what is wrong with it: wider than its window, a
// tree of no size, labels or words on each other or outside of it, text that stands
// out too little from what is behind it.
export function measure() {
  const found = [];
  const page = document.scrollingElement;
  if (page.scrollWidth > innerWidth) found.push(`the page is ${page.scrollWidth} wide in a window of ${innerWidth}`);
  const trees = [...document.querySelectorAll('svg.tree')];
  const box = (e) => e.getBoundingClientRect();
  let texts = 0;
  trees.forEach((svg, n) => {
    const frame = box(svg);
    if (frame.width < 10 || frame.height < 10) found.push(`tree ${n} has the size ${frame.width} x ${frame.height}`);
    const list = [...svg.querySelectorAll('text')].map((e) => ({ text: e.textContent, box: box(e) })).filter((t) => t.box.width > 0);
    texts += list.length;
    const slack = 2; // boxes are those of lines, not of letters
    list.forEach((a, i) => {
      if (a.box.left < frame.left - slack || a.box.right > frame.right + slack || a.box.top < frame.top - slack || a.box.bottom > frame.bottom + slack)
        found.push(`tree ${n}: "${a.text}" is not inside`);
      for (const b of list.slice(0, i)) {
        if (a.box.left < b.box.right - slack && b.box.left < a.box.right - slack && a.box.top < b.box.bottom - slack && b.box.top < a.box.bottom - slack)
          found.push(`tree ${n}: "${a.text}" and "${b.text}" overlap`);
      }
    });
  });
  for (const svg of document.querySelectorAll('svg')) if (!svg.getAttribute('aria-label') && !svg.querySelector(':scope > title')?.textContent) found.push('a picture without aria-label and title');
  for (const th of document.querySelectorAll('th')) if (!th.scope) found.push('a header of a table without scope');
  const light = (color) => {
    const [r, g, b] = color.match(/[\d.]+/g).slice(0, 3).map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = light(getComputedStyle(document.body).backgroundColor);
  for (const [selector, property] of [['body', 'color'], ['.soft', 'color'], ['.error', 'color'], ['svg .label', 'fill'], ['svg .tag', 'fill'], ['svg .low', 'fill']]) {
    const e = document.querySelector(selector);
    if (!e) continue;
    const front = light(getComputedStyle(e)[property]);
    const contrast = (Math.max(front, behind) + 0.05) / (Math.min(front, behind) + 0.05);
    if (contrast < 4.5) found.push(`${selector} has a contrast of ${contrast.toFixed(1)}`);
  }
  return { found, trees: trees.length, texts, dark: behind < 0.5 };
}

// launch starts the browser.
export function launch(playwright, chromium) {
  const { chromium: driver } = createRequire(resolve(playwright) + '/')('playwright-core');
  return driver.launch({
    executablePath: chromium,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
}
